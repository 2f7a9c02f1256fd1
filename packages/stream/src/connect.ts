import { setTimeout as delay } from "node:timers/promises";
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type CheckResult, type Log, StartError } from "#runtime";
import { untilLed } from "./until-led.ts";

/** One process's connection to NATS. */
export interface Stream {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Put before every stream name, consumer and subject. */
  readonly prefix: string;
  /** False from the moment the client notices that the server is gone until it is back. */
  connected(): boolean;
  /**
   * Calls `listener` when the connection breaks, and when it is back; messages may have been missed in between. Returns
   * how to end it.
   */
  onConnection(listener: (connected: boolean) => void): () => void;
  check(): CheckResult;
  /** Resolves when the server has taken all that was given to the client, or does not say so for a second. */
  flush(): Promise<void>;
  /** Ends the connection when the server has taken all that was given to the client: acknowledgements above all. */
  close(): Promise<void>;
}

const RECONNECT_WAIT_MS = 250;
/** Two missed answers to a ping and the connection counts as dead: a half-open one is noticed after 6 s. */
const PING_INTERVAL_MS = 2_000;
/** A server that does not answer a ping at the end is not waited for any longer. */
const FLUSH_MS = 1_000;
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * @throws StartError when no server answers at `url`, or it has no JetStream. Once connected, the client reconnects
 * for ever.
 */
export async function connectStream(options: {
  url: string;
  name: string;
  prefix: string;
  log: Log;
}): Promise<Stream> {
  const servers = options.url.split(",");
  const first = new URL(servers[0] as string);
  const nats = await connect({
    // Credentials travel apart from the address: the client takes them from here only.
    servers: servers.map((server) => new URL(server).host),
    ...(first.username !== "" && {
      user: decodeURIComponent(first.username),
      pass: decodeURIComponent(first.password),
    }),
    ...(first.protocol === "tls:" && { tls: {} }),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    // The client otherwise makes a stack trace for every request: +75 % publish throughput without.
    noAsyncTraces: true,
  }).catch((cause) => {
    throw new StartError(
      "nats_unreachable",
      `NATS does not answer at ${first.host}: start it, or set NATS_URL`,
      {
        cause,
      },
    );
  });
  let connected = true;
  const listeners = new Set<(connected: boolean) => void>();
  void watchStatus(nats, options.log, (now) => {
    connected = now;
    for (const listener of listeners) listener(now);
  });
  const open = () => jetstreamManager(nats, { timeout: REQUEST_TIMEOUT_MS });
  // A node of a cluster that says it has JetStream answers once the cluster has a leader.
  const manager = await (nats.info?.jetstream ? untilLed(open) : open()).catch(async (cause) => {
    await nats.close();
    throw new StartError(
      "no_jetstream",
      `the NATS server at ${first.host} has no JetStream: start it with -js, in a cluster more than half of its nodes`,
      {
        cause,
      },
    );
  });
  return {
    nats,
    manager,
    jetstream: jetstream(nats, { timeout: REQUEST_TIMEOUT_MS }),
    prefix: options.prefix,
    connected: () => connected && !nats.isClosed(),
    onConnection: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check: () =>
      connected && !nats.isClosed()
        ? { ok: true, detail: `connected to ${nats.getServer()}, version ${nats.info?.version}` }
        : { ok: false, detail: "not connected to NATS; reconnecting" },
    flush: () => flushed(nats, () => connected),
    close: async () => {
      await flushed(nats, () => connected);
      await nats.close();
    },
  };
}

/**
 * The client's own close drops what it has gathered since its last write. An acknowledgement that is lost that way costs
 * no truth, but its message comes again, and as late as the ack wait.
 */
async function flushed(nats: NatsConnection, isConnected: () => boolean): Promise<void> {
  if (!isConnected() || nats.isClosed()) return;
  const late = delay(FLUSH_MS, undefined, { ref: false });
  await Promise.race([nats.flush().catch(() => {}), late]);
}

async function watchStatus(nats: NatsConnection, log: Log, set: (connected: boolean) => void): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === "disconnect" || status.type === "staleConnection") {
      set(false);
      log.warn("nats disconnected");
    } else if (status.type === "reconnect") {
      set(true);
      log.info("nats reconnected");
    } else if (status.type === "error") {
      log.warn({ err: status.error }, "nats error");
    }
  }
  set(false);
}
