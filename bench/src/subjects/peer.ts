import type { Servers } from "../servers.ts";
import { startServiceProcess } from "../service-process.ts";
import type { Subject } from "./subject.ts";

const PEERS = new URL("../../peers/", import.meta.url);

export interface PeerOptions {
  /** A folder of `bench/peers`. */
  readonly peer?: "fastify-postgres" | "fastify-reads";
  readonly servers: Servers;
  readonly database: string;
  /** Connections of each process to Postgres. */
  readonly connections: number;
  /** More than one: a cluster that shares the port. */
  readonly processes?: number;
  readonly profileDir?: string | undefined;
}

/** A peer; `fastify-postgres` unless another is named. */
export async function startPeer(options: PeerOptions): Promise<Subject> {
  const { servers, profileDir } = options;
  const env = {
    DATABASE_URL: servers.databaseUrl(options.database),
    PORT: "0",
    DATABASE_CONNECTIONS: String(options.connections),
    PROCESSES: String(options.processes ?? 1),
    LOG_LEVEL: "warn",
  };
  const main = new URL(`${options.peer ?? "fastify-postgres"}/main.js`, PEERS);
  const peer = await startServiceProcess({ name: "peer", main, env, dir: servers.dir, profileDir });
  return {
    name: "peer",
    url: peer.url as string,
    processes: [peer],
    queueDepth: async () => 0,
    stop: () => peer.stop(),
  };
}
