import { randomBytes } from "node:crypto";
import { FLOW } from "#contract";
import { makeEncryptionKey } from "#runtime";
import type { Servers } from "../servers.ts";
import { type ServiceProcess, startServiceProcess } from "../service-process.ts";
import type { Subject } from "./subject.ts";
import { tendStreams } from "./tend-streams.ts";

const ROOT = new URL("../../../", import.meta.url);

export interface StampedeOptions {
  readonly servers: Servers;
  readonly database: string;
  readonly profileDir?: string | undefined;
  /** Added to the environment of both services. */
  readonly env?: NodeJS.ProcessEnv;
  /** Without `ingest`, where nothing is ingested. */
  readonly edgeOnly?: boolean;
  /** With `platform` and `rewards`, which consume what ingest publishes. */
  readonly whole?: boolean;
  /** With `webhooks`, which deliver what rewards writes. */
  readonly webhooks?: boolean;
}

export interface Stampede extends Subject {
  /** Of the platform, if it runs. */
  readonly platformUrl: string | undefined;
  /** Begins the names of its streams. */
  readonly streamPrefix: string;
  /** Messages in its streams whose name begins so, `INGEST` or `OUTCOMES`. */
  messagesIn(stream: string): Promise<number>;
}

/** Far more than comes between two purges. NATS reserves it, and the default for three streams would be 6 GiB. */
const LINK_BYTES = 512 * 1024 * 1024;

/**
 * The part of Stampede that is measured: edge and ingest, a process each, with default settings but for the ports and the
 * size of streams that are emptied at once (`tendStreams`).
 */
export async function startStampede(options: StampedeOptions): Promise<Stampede> {
  const { servers, database, profileDir } = options;
  const streamPrefix = `B${randomBytes(6).toString("hex").toUpperCase()}`;
  const env = {
    DATABASE_URL: servers.databaseUrl(database),
    NATS_URL: servers.nats.url,
    STAMPEDE_STREAM_PREFIX: streamPrefix,
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_PLATFORM_PORT: "0",
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    // A line a request costs either subject the same; neither writes it here.
    STAMPEDE_LOG_LEVEL: "warn",
    STAMPEDE_LINK_MAX_BYTES: String(LINK_BYTES),
    ...options.env,
  };
  const start = (name: "edge" | "ingest" | "platform" | "rewards" | "webhooks"): Promise<ServiceProcess> => {
    const main = new URL(`services/${name}/src/main.js`, ROOT);
    return startServiceProcess({ name, main, env, dir: servers.dir, profileDir });
  };
  const [edge, ingest] = await Promise.all([start("edge"), options.edgeOnly ? undefined : start("ingest")]);
  const platform = options.whole ? await start("platform") : undefined;
  const rewards = options.whole ? await start("rewards") : undefined;
  const webhooks = options.webhooks ? await start("webhooks") : undefined;
  const endTending = await tendStreams(servers.nats.url, streamPrefix, { empty: !options.whole });
  const messagesIn = (stream: string): Promise<number> =>
    messagesInStreams(servers.nats.monitorUrl, streamPrefix + stream);
  return {
    name: "stampede",
    url: edge.url as string,
    platformUrl: platform?.url,
    streamPrefix,
    messagesIn,
    processes: [edge, ingest, platform, rewards, webhooks].filter((one) => one !== undefined),
    queueDepth: () => messagesIn(FLOW.ingest.stream),
    async stop() {
      await edge.stop();
      await ingest?.stop();
      await Promise.all([platform?.stop(), rewards?.stop(), webhooks?.stop()]);
      await endTending();
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

/** Asked of NATS, not of us. */
async function messagesInStreams(monitorUrl: string, prefix: string): Promise<number> {
  const answer = await fetch(`${monitorUrl}/jsz?streams=true`);
  const state = (await answer.json()) as JetStreamState;
  const streams = (state.account_details ?? []).flatMap((account) => account.stream_detail ?? []);
  return streams
    .filter(({ name }) => name.startsWith(prefix))
    .reduce((sum, stream) => sum + stream.state.messages, 0);
}
