import { rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { natsVersionWarning, StartError } from "#runtime";
import { ENDINGS, endProcess } from "./end-process.ts";
import { freePort } from "./free-port.ts";
import { findNats, type NatsBinary } from "./nats-binary.ts";
import { type NatsClusterConfig, natsConfig } from "./nats-config.ts";
import { readRecordedProcess } from "./process-record.ts";
import { type RunningServer, spawnServer, waitUntilReady } from "./running-server.ts";
import { secretIn } from "./secret-file.ts";
import { writableDir } from "./writable-dir.ts";

export interface NatsOptions {
  /** Made if missing. The caller owns it (`lockDataDir`): a server still running on it is a leftover and is ended. */
  readonly dataDir: string;
  /** Of 127.0.0.1. Without it a free one is taken. */
  readonly port?: number | undefined;
  /** The monitoring port, likewise. */
  readonly monitorPort?: number | undefined;
  /** Makes it a node of a cluster; it is ready once it has found most of the others. */
  readonly cluster?: NatsClusterConfig | undefined;
  /** Of the user `stampede`. Left out: one of the data directory's own. */
  readonly password?: string | undefined;
  readonly log: (message: string) => void;
  readonly logFile?: string | undefined;
  /** Instead of the one user: configuration of users and TLS, and the environment that its variables are read from. */
  readonly access?: { readonly config: string; readonly env: NodeJS.ProcessEnv } | undefined;
  /** Calls the start off. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningNats extends RunningServer {
  readonly port: number;
  readonly monitorPort: number;
  readonly version: string;
  /** With user and password in it, unless there are others (`NatsOptions.access`). */
  readonly url: string;
  readonly monitorUrl: string;
}

const NATS_USER = "stampede";
const READY_MS = 30_000;
const PORT_ATTEMPTS = 5;

/**
 * Starts nats-server with JetStream on loopback and returns when its streams are recovered and it takes connections.
 * Throws a `StartError` that says what to do, and leaves no process behind then.
 */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const binary = findNats();
  const warning = natsVersionWarning(binary.version);
  if (warning) options.log(`NATS: ${warning}`);
  const dataDir = writableDir(options.dataDir);
  const recordFile = join(dataDir, "process.json");
  const leftover = readRecordedProcess(recordFile);
  if (leftover) {
    options.log(`NATS: ending one that a crash left behind (process ${leftover.pid})`);
    await endProcess(leftover, ENDINGS.nats);
  }
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const monitorPort = options.monitorPort ?? (await freePort());
    try {
      return await startOn(port, monitorPort, binary, { ...options, dataDir }, recordFile);
    } catch (error) {
      const isTaken = error instanceof StartError && error.code === "port_taken";
      if (!isTaken) throw error;
      const isFixed = options.port !== undefined && options.monitorPort !== undefined;
      if (!isFixed && attempt < PORT_ATTEMPTS) continue;
      const doThis = "stop what listens there, or take other ports";
      const why = `port ${port} or ${monitorPort}, for NATS, is taken: ${doThis}`;
      throw new StartError("port_taken", why, { cause: error });
    }
  }
}

async function startOn(
  port: number,
  monitorPort: number,
  binary: NatsBinary,
  options: NatsOptions,
  recordFile: string,
): Promise<RunningNats> {
  const { dataDir, logFile = join(dataDir, "nats.log"), access, cluster } = options;
  const password = options.password ?? secretIn(join(dataDir, "password"));
  const configFile = join(dataDir, "nats.conf");
  const storeDir = join(dataDir, "data");
  const syncAlways = !/^[01]\.|^2\.[0-9]\./.test(binary.version);
  const config = natsConfig({
    port,
    monitorPort,
    storeDir,
    user: NATS_USER,
    password,
    access: access?.config,
    syncAlways,
    cluster,
  });
  rmSync(configFile, { force: true }); // so that the mode below is that of the file
  writeFileSync(configFile, config, { mode: 0o600 });
  const server = await spawnServer({
    kind: "nats",
    name: "nats-server",
    command: binary.path,
    args: ["--config", configFile],
    cwd: dataDir,
    env: { PATH: process.env.PATH, ...access?.env },
    logFile,
    recordFile,
  });
  const monitorUrl = `http://127.0.0.1:${monitorPort}`;
  const limits = {
    name: "nats-server",
    logFile,
    deadlineMs: READY_MS,
    patientMs: READY_MS,
    signal: options.signal,
  };
  await waitUntilReady(server, limits, () => isHealthy(monitorUrl));
  const login = access === undefined ? `${NATS_USER}:${password}@` : "";
  const url = `nats://${login}127.0.0.1:${port}`;
  return Object.assign(server, { port, monitorPort, version: binary.version, url, monitorUrl });
}

/** Healthy means: it listens for clients, and every stream and consumer of its store is back. */
function isHealthy(monitorUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${monitorUrl}/healthz`, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(false));
  });
}
