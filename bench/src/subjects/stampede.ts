import { randomBytes } from "node:crypto";
import { makeEncryptionKey } from "#runtime";
import type { Servers } from "../servers.ts";
import { type ServiceProcess, startServiceProcess } from "../service-process.ts";
import type { Subject } from "./subject.ts";

const ROOT = new URL("../../../", import.meta.url);

export interface StampedeOptions {
  readonly servers: Servers;
  readonly database: string;
  readonly profileDir?: string | undefined;
  /** Added to the environment of both services. */
  readonly env?: NodeJS.ProcessEnv;
  /** Without `ingest`, where nothing is ingested. */
  readonly edgeOnly?: boolean;
}

/** Stampede as it is deployed: edge and ingest, a process each, with default settings but for the ports. */
export async function startStampede(options: StampedeOptions): Promise<Subject> {
  const { servers, database, profileDir } = options;
  const streamPrefix = `B${randomBytes(6).toString("hex").toUpperCase()}`;
  const env = {
    DATABASE_URL: servers.databaseUrl(database),
    NATS_URL: servers.nats.url,
    STAMPEDE_STREAM_PREFIX: streamPrefix,
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    // A line a request costs either subject the same; neither writes it here.
    STAMPEDE_LOG_LEVEL: "warn",
    ...options.env,
  };
  const start = (name: "edge" | "ingest"): Promise<ServiceProcess> => {
    const main = new URL(`services/${name}/src/main.js`, ROOT);
    return startServiceProcess({ name, main, env, dir: servers.dir, profileDir });
  };
  const [edge, ingest] = await Promise.all([start("edge"), options.edgeOnly ? undefined : start("ingest")]);
  return {
    name: "stampede",
    url: edge.url as string,
    processes: ingest === undefined ? [edge] : [edge, ingest],
    queueDepth: () => messagesInStreams(servers.nats.monitorUrl, streamPrefix),
    async stop() {
      await edge.stop();
      await ingest?.stop();
    },
  };
}

interface JetStreamState {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly {
      readonly name: string;
      readonly state: { readonly messages: number };
    }[];
  }[];
}

/** Asked of NATS, not of us: what lies in the ingest streams of this installation. */
async function messagesInStreams(monitorUrl: string, prefix: string): Promise<number> {
  const answer = await fetch(`${monitorUrl}/jsz?streams=true`);
  const state = (await answer.json()) as JetStreamState;
  const streams = (state.account_details ?? []).flatMap((account) => account.stream_detail ?? []);
  return streams
    .filter(({ name }) => name.startsWith(`${prefix}INGEST`))
    .reduce((sum, stream) => sum + stream.state.messages, 0);
}
