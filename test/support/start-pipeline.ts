import type { ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { createTokenSecret, hashTokenSecret } from "#domain";
import { ENDINGS, endProcess, forkService, identify } from "#embedded";
import { createPlatformToken } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation, createToken } from "#publisher-db";
import { makeEncryptionKey, type OpsAnswer, SERVICE_NODE_FLAGS } from "#runtime";
import { LATER_OPTIMISATION } from "./later-optimisation.ts";
import { isolation, testServers } from "./test-servers.ts";

const ROOT = new URL("../../", import.meta.url);
const STREAM_BYTES = String(64 * 1024 * 1024);

/**
 * The usual flags, but without source maps, which take a service a third of its start to read: the report of
 * a run finds the places in the sources by itself.
 */
export const TEST_NODE_FLAGS: readonly string[] = [
  ...SERVICE_NODE_FLAGS.filter((flag) => flag !== "--enable-source-maps"),
  ...LATER_OPTIMISATION,
];

/** The services on the way of an event. */
export type ServiceName = "edge" | "ingest" | "platform" | "rewards" | "webhooks";
/** The console only watches. */
export type ProcessName = ServiceName | "console";

/** One service as a separate process. */
export interface ServiceProcess {
  readonly service: ProcessName;
  readonly child: ChildProcess;
  /** Its address, for services that listen. */
  readonly url: string | undefined;
  /** Its whole output, stdout and stderr. */
  output(): string;
  /** Asks an operations endpoint, such as `/metrics`. Rejects when the process has ended. @param accept the `accept` header */
  ops(path: string, accept?: string): Promise<OpsAnswer>;
  /** Sends SIGKILL; the process is gone when it resolves. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. Rejects if that does not end it. */
  stop(): Promise<number | null>;
}

/** A publisher: its organisation and a write token. */
export interface Publisher {
  readonly organisationId: string;
  readonly token: string;
}

export interface Pipeline {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly streamPrefix: string;
  /** The file of the authority, if NATS has a certificate of a private one. */
  readonly natsCaFile: string | undefined;
  readonly store: Store;
  /** The platform's database, which is the same unless the options say otherwise. */
  readonly platformStore: Store;
  readonly publisher: Publisher;
  /** The first one that was started. @throws if there is none */
  readonly edge: ServiceProcess;
  readonly ingest: ServiceProcess;
  /** All started processes, in order. */
  readonly processes: ReadonlySet<ServiceProcess>;
  /** Starts another process of a service; it ends with the pipeline. */
  start(service: ProcessName, env?: NodeJS.ProcessEnv): Promise<ServiceProcess>;
  /** Makes another organisation with a token of its own. */
  newPublisher(access?: "read" | "write"): Promise<Publisher>;
  /** A new token of the platform. */
  newPlatformToken(): Promise<string>;
  stop(): Promise<void>;
}

export interface PipelineOptions {
  readonly databaseUrl?: string;
  /** The platform's database, if it has its own. */
  readonly platformDatabaseUrl?: string;
  readonly natsUrl?: string;
  /** Additional environment of every service. */
  readonly env?: NodeJS.ProcessEnv;
  /** Additional environment of one service, such as its own user. */
  readonly envOf?: (service: ProcessName) => NodeJS.ProcessEnv;
  /** By default a unique one. */
  readonly streamPrefix?: string;
  /** Options for Node itself, such as `--cpu-prof`. */
  readonly execArgv?: readonly string[];
  /** The services to start at once: both, unless a test has no use for one of them. */
  readonly begin?: readonly ("edge" | "ingest")[];
}

/**
 * Edge and ingest as processes, with their own database and stream names. A test starts the other services
 * that it needs.
 */
export async function startPipeline(options: PipelineOptions = {}): Promise<Pipeline> {
  const databaseUrl = options.databaseUrl ?? (await (await testServers()).databaseUrl());
  const natsUrl = options.natsUrl ?? (await testServers()).natsUrl;
  const streamPrefix = options.streamPrefix ?? isolation();
  const encryptionKeys = makeEncryptionKey(new Date());
  const store = connectStore({ url: databaseUrl, max: 2, applicationName: "test" });
  const { platformDatabaseUrl } = options;
  const platformStore =
    platformDatabaseUrl === undefined
      ? store
      : connectStore({ url: platformDatabaseUrl, max: 2, applicationName: "test" });
  const running = new Set<ServiceProcess>();
  let isStopped = false;
  const start = async (service: ProcessName, env: NodeJS.ProcessEnv = {}) => {
    const started = await startService(
      service,
      {
        DATABASE_URL: databaseUrl,
        ...(platformDatabaseUrl !== undefined && { STAMPEDE_PLATFORM_DATABASE_URL: platformDatabaseUrl }),
        NATS_URL: natsUrl,
        STAMPEDE_STREAM_PREFIX: streamPrefix,
        STAMPEDE_HTTP_PORT: "0",
        STAMPEDE_PLATFORM_PORT: "0",
        STAMPEDE_CONSOLE_PORT: "0",
        STAMPEDE_ENCRYPTION_KEYS: encryptionKeys,
        // Small, because the server reserves this for every stream, and all pipelines of a test run share one
        // server.
        STAMPEDE_STREAM_MAX_BYTES: STREAM_BYTES,
        STAMPEDE_LINK_MAX_BYTES: STREAM_BYTES,
        // Most tests take an empty stream as the sign that everything is done.
        STAMPEDE_REPLAY_MINUTES: "0",
        ...options.env,
        ...options.envOf?.(service),
        ...env,
      },
      options.execArgv,
    );
    running.add(started);
    // A failed test may still start a process after all were stopped; the process's IPC would keep the test alive.
    if (isStopped) await started.stop();
    return started;
  };
  const newPublisher = (access: "read" | "write" = "write") => createPublisher(store, access);
  const newPlatformToken = () => makePlatformToken(platformStore);
  const stop = async () => {
    isStopped = true;
    await Promise.all([...running].map((service) => service.stop()));
    await closeStore(store);
    if (platformStore !== store) await closeStore(platformStore);
  };
  const begin = options.begin ?? ["edge", "ingest"];
  const [published, ...started] = await Promise.allSettled([
    newPublisher(),
    ...begin.map((service) => start(service)),
  ]);
  for (const result of [published, ...started]) {
    if (result.status === "fulfilled") continue;
    // Services that did start would keep the test process alive.
    await stop();
    throw result.reason;
  }
  const { value: publisher } = published as PromiseFulfilledResult<Publisher>;
  const firstOf = (name: "edge" | "ingest"): ServiceProcess => {
    const found = [...running].find(({ service }) => service === name);
    if (found === undefined) throw new Error(`this pipeline has no ${name}`);
    return found;
  };
  return {
    databaseUrl,
    natsUrl,
    streamPrefix,
    natsCaFile: options.env?.STAMPEDE_NATS_CA_FILE,
    store,
    platformStore,
    publisher,
    get edge() {
      return firstOf("edge");
    },
    get ingest() {
      return firstOf("ingest");
    },
    processes: running,
    start,
    newPublisher,
    newPlatformToken,
    stop,
  };
}

/** The processes that have ended, each with the last words of its output. */
export function endedProcesses(processes: Iterable<ServiceProcess>): string[] {
  return [...processes]
    .filter(({ child }) => child.exitCode !== null || child.signalCode !== null)
    .map(({ service, output }) => `${service}: ${output().slice(-2_000)}`);
}

/** A new organisation with a token. */
export async function createPublisher(store: Store, access: "read" | "write"): Promise<Publisher> {
  const organisationId = randomUUID();
  await createOrganisation(store, { id: organisationId, name: `test ${organisationId}` });
  const token = createTokenSecret(randomBytes(32));
  await createToken(store, {
    id: randomUUID(),
    organisationId,
    access,
    description: "test",
    secretHash: hashTokenSecret(token),
  });
  return { organisationId, token };
}

/** A new token of the platform. */
export async function makePlatformToken(store: Store): Promise<string> {
  const token = createTokenSecret(randomBytes(32));
  const secretHash = hashTokenSecret(token);
  await createPlatformToken(store, { id: randomUUID(), description: "test", secretHash });
  return token;
}

async function startService(
  service: ProcessName,
  env: NodeJS.ProcessEnv,
  execArgv: readonly string[] = [],
): Promise<ServiceProcess> {
  const { child, exited, ready, ask } = forkService(new URL(`services/${service}/src/main.js`, ROOT), {
    env: { PATH: process.env.PATH, ...env },
    execArgv: [...TEST_NODE_FLAGS, ...execArgv],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const said = await ready;
  if (said === undefined) throw new Error(`${service} ended with ${(await exited).code}: ${output}`);
  return {
    service,
    child,
    url: said.url,
    output: () => output,
    ops: (path, accept) => ask(path, { accept }),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      const wasKilled = identity !== undefined && (await endProcess(identity, ENDINGS.service));
      const { code } = await exited;
      if (wasKilled) throw new Error(`${service} did not end at SIGTERM, and was killed: ${output}`);
      return code;
    },
  };
}
