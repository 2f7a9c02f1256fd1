import { connectStream, ensureTopology, type Stream, topologyOf } from "#nats";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { migratePublisher } from "#publisher-db";
import { createLog, readSettings } from "#runtime";
import type { ServiceProcess } from "./processes.ts";
import type { Servers } from "./servers.ts";
import { removeStreams } from "./streams.ts";
import { settingsOf, startService } from "./subjects.ts";

const CONNECTIONS = 2;
/**
 * NATS reserves the whole size of every stream. Streams that are filled before the clock starts take most.
 */
const LINK_BYTES = 1024 * 1024 * 1024;
const OTHER_BYTES = 16 * 1024 * 1024;

let opened = 0;

/** A database and streams, with the services that are started on them. */
export class Installation {
  readonly servers: Servers;
  readonly database: string;
  readonly url: string;
  readonly store: Store;
  readonly stream: Stream;
  readonly #env: NodeJS.ProcessEnv;
  readonly #services: ServiceProcess[] = [];

  /** @param template a database to copy; none: the tables of publisher and platform, empty */
  static async open(servers: Servers, template?: string): Promise<Installation> {
    const database = `bench_installation_${++opened}`;
    await servers.execute(
      "stampede",
      `create database ${database}${template === undefined ? "" : ` template ${template}`}`,
    );
    const url = servers.databaseUrl(database);
    if (template === undefined) {
      await migratePublisher(url);
      await migratePlatform(url);
    }
    const env = {
      ...settingsOf(servers, database),
      STAMPEDE_STREAM_MAX_BYTES: String(OTHER_BYTES),
      STAMPEDE_LINK_MAX_BYTES: String(LINK_BYTES),
    };
    const settings = readSettings(env);
    const log = createLog({ service: "bench", level: "fatal" });
    const stream = await connectStream({
      url: servers.nats.url,
      name: "bench",
      prefix: settings.streamPrefix,
      log,
    });
    await ensureTopology(stream, topologyOf(settings));
    const store = connectStore({ url, max: CONNECTIONS, applicationName: "bench" });
    return new Installation({ servers, database, url, store, stream, env });
  }

  private constructor(
    parts: Pick<Installation, "servers" | "database" | "url" | "store" | "stream"> & {
      readonly env: NodeJS.ProcessEnv;
    },
  ) {
    this.servers = parts.servers;
    this.database = parts.database;
    this.url = parts.url;
    this.store = parts.store;
    this.stream = parts.stream;
    this.#env = parts.env;
  }

  /** Deployed as usual, except for ports and sizes; ready when this resolves. */
  async start(
    name: "rewards" | "platform" | "webhooks",
    env: NodeJS.ProcessEnv = {},
  ): Promise<ServiceProcess> {
    const service = await startService(this.servers, this.database, name, { ...this.#env, ...env });
    this.#services.push(service);
    return service;
  }

  /**
   * No page is dirty and the planner knows the sizes of all tables: the measured run does not pay for the
   * preparation.
   */
  async settle(): Promise<void> {
    await this.store.script("vacuum analyze");
    await this.store.script("checkpoint");
  }

  /** Stops the services, so that their profiles are written. */
  async stopServices(): Promise<void> {
    await Promise.all(this.#services.splice(0).map((service) => service.stop()));
  }

  /** Ends everything except the database, which can then be a template. */
  async detach(): Promise<void> {
    await this.stopServices();
    await removeStreams(this.stream.manager.streams, this.stream.prefix);
    await this.stream.close();
    await closeStore(this.store);
  }

  async close(): Promise<void> {
    await this.detach();
    await this.servers.execute("stampede", `drop database ${this.database} with (force)`);
  }
}
