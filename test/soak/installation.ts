import { join } from "node:path";
import { closeStore, connectStore, type Store } from "#postgres";
import { makeEncryptionKey } from "#runtime";
import {
  ARCHIVING,
  createPublisher,
  makePlatformToken,
  type PrivateNats,
  type PrivatePostgres,
  type Publisher,
  privatePostgres,
  privateServers,
  type ServiceName,
  TcpProxy,
  waitFor,
} from "#test-support";
import { ServiceSlot } from "./service-slot.ts";

/** Two of each: half of the question is what one does while the other is stopped. */
const PROCESSES = 2;
export const SERVICES = [
  "edge",
  "ingest",
  "rewards",
  "platform",
  "webhooks",
] as const satisfies ServiceName[];
const STREAM_BYTES = String(64 * 1024 * 1024);
const START_MS = 300_000;

/** The owner of a database. */
export type DatabaseName = "publisher" | "platform";

/** Servers and services of one soak, each service behind its own proxies. */
export class Installation {
  /** One server for both, unless they are to go back separately. */
  readonly servers: Readonly<Record<DatabaseName, PrivatePostgres>>;
  readonly nats: PrivateNats;
  readonly databaseUrl: string;
  readonly slots: readonly ServiceSlot[];
  /** The auditor's own connections, straight to the servers. */
  readonly stores: Readonly<Record<DatabaseName, Store>>;
  readonly publisher: Publisher;
  readonly platformToken: string;
  readonly #proxies: readonly TcpProxy[];

  /**
   * @param logDir where all processes write
   * @param goesBack whether databases are to be restored: then each is on its own server, which archives its
   *   log
   */
  static async start(logDir: string, goesBack = false): Promise<Installation> {
    const settings = { max_connections: "200", ...(goesBack && ARCHIVING) };
    const { postgres, nats } = await privateServers(settings, logDir);
    const platform = goesBack ? await privatePostgres(settings, join(logDir, "platform.log")) : postgres;
    const servers = { publisher: postgres, platform };
    const databaseUrl = await postgres.databaseUrl();
    const platformUrl = goesBack ? await platform.databaseUrl() : databaseUrl;
    const connect = (url: string) => connectStore({ url, max: 4, applicationName: "soak" });
    const store = connect(databaseUrl);
    const stores = { publisher: store, platform: goesBack ? connect(platformUrl) : store };
    const proxies: TcpProxy[] = [];
    const slots: ServiceSlot[] = [];
    const encryptionKeys = makeEncryptionKey(new Date());
    for (const service of SERVICES) {
      for (let i = 0; i < PROCESSES; i++) {
        const url = service === "platform" ? platformUrl : databaseUrl;
        const own = {
          postgres: await TcpProxy.start(url),
          nats: await TcpProxy.start(nats.url),
        };
        proxies.push(own.postgres, own.nats);
        const name = `${service}-${i}`;
        const env = {
          DATABASE_URL: own.postgres.through(url),
          NATS_URL: own.nats.through(nats.url),
          STAMPEDE_HTTP_PORT: "0",
          STAMPEDE_PLATFORM_PORT: "0",
          STAMPEDE_ENCRYPTION_KEYS: encryptionKeys,
          STAMPEDE_PARTITIONS: "4",
          STAMPEDE_STREAM_MAX_BYTES: STREAM_BYTES,
          STAMPEDE_LINK_MAX_BYTES: STREAM_BYTES,
          STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
          STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        };
        slots.push(
          new ServiceSlot({ service, name, env, logFile: join(logDir, `${name}.log`), proxies: own }),
        );
      }
    }
    const installation = new Installation({
      servers,
      nats,
      databaseUrl,
      slots,
      stores,
      publisher: await createPublisher(store, "write"),
      platformToken: await makePlatformToken(stores.platform),
      proxies,
    });
    for (const slot of slots) slot.start();
    try {
      await installation.whenReady(START_MS);
    } catch (error) {
      await installation.stop();
      throw error;
    }
    return installation;
  }

  private constructor(parts: {
    servers: Readonly<Record<DatabaseName, PrivatePostgres>>;
    nats: PrivateNats;
    databaseUrl: string;
    slots: readonly ServiceSlot[];
    stores: Readonly<Record<DatabaseName, Store>>;
    publisher: Publisher;
    platformToken: string;
    proxies: readonly TcpProxy[];
  }) {
    this.servers = parts.servers;
    this.nats = parts.nats;
    this.databaseUrl = parts.databaseUrl;
    this.slots = parts.slots;
    this.stores = parts.stores;
    this.publisher = parts.publisher;
    this.platformToken = parts.platformToken;
    this.#proxies = parts.proxies;
  }

  /** The URL of the publisher's database. */
  get store(): Store {
    return this.stores.publisher;
  }

  /** Makes the servers archive all that is written so far. */
  async switchWal(name: DatabaseName): Promise<void> {
    await this.stores[name]`select pg_switch_wal()`;
  }

  slotsOf(service: ServiceName): ServiceSlot[] {
    return this.slots.filter((slot) => slot.options.service === service);
  }

  /**
   * Addresses of a service's processes, as a balancer knows them: without those that have ended, if others
   * run.
   */
  urlsOf(service: ServiceName): string[] {
    const slots = this.slotsOf(service).filter(({ url }) => url !== undefined);
    const up = slots.filter(({ isUp }) => isUp);
    return (up.length > 0 ? up : slots).map(({ url }) => url as string);
  }

  /** Waits until all are ready. Rejects with the names of those that are not. */
  async whenReady(deadlineMs: number): Promise<void> {
    let late: string[] = [];
    const areReady = async () => {
      const looks = this.slots.map(async (slot) => ((await slot.isReady()) ? [] : [slot.name]));
      late = (await Promise.all(looks)).flat();
      return late.length === 0;
    };
    await waitFor(areReady, { deadlineMs, message: "not all services are ready" }).catch((error) => {
      throw new Error(`${error.message}: ${late.join(", ")}`);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.stop()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await Promise.all([...new Set(Object.values(this.stores))].map(closeStore));
    const servers = new Set(Object.values(this.servers));
    await Promise.all([...servers, this.nats].map((server) => server.remove()));
  }
}
