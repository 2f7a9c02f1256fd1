import type { Servers } from "../servers.ts";
import { startServiceProcess } from "../service-process.ts";
import type { Subject } from "./subject.ts";

const MAIN = new URL("../../peers/fastify-postgres/main.js", import.meta.url);

export interface PeerOptions {
  readonly servers: Servers;
  readonly database: string;
  /** Connections of each process to Postgres. */
  readonly connections: number;
  /** More than one: a cluster that shares the port. */
  readonly processes?: number;
  readonly profileDir?: string | undefined;
}

/** The peer; see bench/peers/fastify-postgres. */
export async function startPeer(options: PeerOptions): Promise<Subject> {
  const { servers, profileDir } = options;
  const env = {
    DATABASE_URL: servers.databaseUrl(options.database),
    PORT: "0",
    DATABASE_CONNECTIONS: String(options.connections),
    PROCESSES: String(options.processes ?? 1),
    LOG_LEVEL: "warn",
  };
  const peer = await startServiceProcess({ name: "peer", main: MAIN, env, dir: servers.dir, profileDir });
  return {
    name: "peer",
    url: peer.url as string,
    processes: [peer],
    queueDepth: async () => 0,
    stop: () => peer.stop(),
  };
}
