import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  ClosedConnectionError,
  connect,
  DrainingConnectionError,
  type NatsConnection,
} from "@nats-io/transport-node";
import { type CheckResult, type Log, Progress, type ServiceContext, StartError } from "#runtime";
import { AcknowledgedPublisher } from "../publish/acknowledged-publisher.ts";
import { ClusterContact } from "./cluster-contact.ts";
import { ConnectionStatus, notPermitted } from "./connection-status.ts";
import { type AccessSettings, type NatsAccess, natsAccess } from "./nats-access.ts";
import { describeRefusal, isRefused, isUnled, untilLed } from "./nats-errors.ts";

/** One process's connection to NATS. */
export interface Stream {
  readonly nats: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Publishes to streams (`publishOnce`). */
  readonly publisher: Pick<AcknowledgedPublisher, "publish">;
  /** The prefix of the name of every stream, consumer and subject. */
  readonly prefix: string;
  /** The prefix of this process's inboxes. Rights on it keep services out of each other's answers. */
  readonly inboxPrefix: string;
  /** The loops and publications of this process report their progress here. */
  readonly progress: Progress;
  /** False from the moment the client notices that the server is gone, until the connection is back. */
  connected(): boolean;
  /**
   * Calls `listener` when the connection breaks and when it is back; messages may have been missed in
   * between. Returns the function that ends it.
   */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Reports that JetStream answered a request. */
  heard(): void;
  /**
   * Reports that a request sent at `askedAt` (of `performance.now()`) got no answer. If none gets one for a
   * while, the process moves to another node.
   */
  unheard(askedAt: number): void;
  /**
   * Resolves once NATS has answered. In a cluster the request goes to the leader, because a node that is cut
   * off also answers what it can on its own.
   */
  contact(): Promise<void>;
  check(): CheckResult;
  /**
   * Resolves once the server has received everything that was sent so far, and has refused nothing since the
   * connection was made.
   * @throws StartError naming the refused operation
   */
  assertPermitted(): Promise<void>;
  /** Ends the connection once the server has received everything from the client. */
  close(): Promise<void>;
}

const RECONNECT_WAIT_MS = 250;
/** The connection counts as dead after two pings without an answer: a half-open one is noticed after 6 s. */
const PING_INTERVAL_MS = 2_000;
/**
 * For one server: to reach it and log in. A server that accepts connections and then stays silent is
 * abandoned for the next one.
 */
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * For requests to JetStream, which their callers repeat. They have no answer while a leader is elected, and
 * the sooner the request is repeated, the sooner work continues. Publishing has a separate time-out.
 */
const REQUEST_TIMEOUT_MS = 2_000;
/** How often a node of a cluster has to show that it still belongs to the cluster. */
const ASK_INTERVAL_MS = 1_000;

/** The prefix of a service's inboxes, with its name in the first token: NATS gives rights by tokens. */
export function inboxPrefixOf(name: string, prefix: string): string {
  return `_INBOX_${prefix}${name}`;
}

interface ConnectOptions {
  readonly url: string;
  /** The service's name; also the name of its NATS user, if each service has its own. */
  readonly name: string;
  readonly prefix: string;
  /** Certificates and credentials; absent: none. */
  readonly access?: AccessSettings;
  /** Absent: progress is not reported. */
  readonly progress?: Progress;
  readonly log: Log;
}

/**
 * @throws StartError if no server answers at `url`, or the server cannot be trusted, refuses the login, or
 * has no JetStream. Once connected, the client reconnects for ever.
 */
export async function connectStream(options: ConnectOptions): Promise<Stream> {
  const { prefix, log } = options;
  const access = natsAccess(options.url, options.access ?? {});
  const inboxPrefix = inboxPrefixOf(options.name, prefix);
  const contact = new ClusterContact(() => {
    // Questions that were open when the connection was closed fail afterwards.
    if (nats.isClosed() || nats.getServers().length < 2) return;
    log.warn({ node: nats.getServer() }, "this NATS node does not answer; connecting to another one");
    void nats.reconnect();
  });
  const nats = await connect({
    ...access.options,
    name: options.name,
    inboxPrefix,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    // The server also reports an authorization error if a client is too slow to log in. After two of them the
    // client would close the connection for good, and the process would keep its partitions and do nothing.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    reconnectToServer: (pool) => contact.next(pool),
    // By default the client makes a stack trace for every request. Without them it publishes 75 % more.
    noAsyncTraces: true,
  }).catch((cause) => {
    throw access.explain(cause);
  });
  const publisher = new AcknowledgedPublisher(nats, inboxPrefix);
  const status = new ConnectionStatus(nats, contact, log, (error) => publisher.refused(error));
  status.onChange((connected) => {
    if (!connected) publisher.disconnected();
  });
  const manager = await openManager(nats, access);
  const ask = () => askForLeader(nats, manager, contact);
  askRegularly(nats, status, ask);
  return {
    nats,
    manager,
    jetstream: jetstream(nats, { timeout: REQUEST_TIMEOUT_MS }),
    publisher,
    prefix,
    inboxPrefix,
    progress: options.progress ?? new Progress(),
    connected: () => status.isConnected,
    onConnection: (listener) => status.onChange(listener),
    heard: () => contact.heard(),
    unheard: (askedAt) => contact.unheard(askedAt),
    contact: ask,
    check: () => status.check(),
    assertPermitted: () => status.assertPermitted(),
    close: async () => {
      await status.flushed();
      await nats.close();
    },
  };
}

async function openManager(nats: NatsConnection, { address }: NatsAccess): Promise<JetStreamManager> {
  const open = () => jetstreamManager(nats, { timeout: REQUEST_TIMEOUT_MS });
  // A node of a cluster that reports JetStream answers as soon as the cluster has a leader.
  return (nats.info?.jetstream ? untilLed(open) : open()).catch(async (cause) => {
    await nats.close();
    if (isRefused(cause)) throw notPermitted([describeRefusal(cause) as string], cause);
    const why = `the NATS server at ${address} has no JetStream`;
    const doThis = "start it with -js, in a cluster more than half of its nodes";
    throw new StartError("no_jetstream", `${why}: ${doThis}`, { cause, passes: true });
  });
}

async function askForLeader(
  nats: NatsConnection,
  manager: JetStreamManager,
  contact: ClusterContact,
): Promise<void> {
  if (nats.info?.cluster === undefined) return nats.flush();
  const askedAt = performance.now();
  await manager.getAccountInfo().catch((error) => {
    contact.unheard(askedAt);
    throw error;
  });
}

/**
 * A consumer's leader that is cut off from the other nodes still sends heartbeats for 10 s and more, but no
 * messages. Asking the cluster's leader detects that sooner.
 */
function askRegularly(nats: NatsConnection, status: ConnectionStatus, ask: () => Promise<void>): void {
  const asking = setInterval(() => {
    if (status.isConnected && nats.info?.cluster !== undefined) ask().catch(() => {});
  }, ASK_INTERVAL_MS);
  asking.unref();
  void nats.closed().then(() => clearInterval(asking));
}

/**
 * A service's connection, with the prefix, TLS and credentials of its settings. Waits for a server that is
 * away, or whose JetStream is.
 * @param name shown by the server; also in the inboxes of the NATS user
 * @throws StartError like `connectStream`, if another attempt would end in the same way
 */
export function connectService(
  { settings, log, waiting, progress }: Pick<ServiceContext, "settings" | "log" | "waiting" | "progress">,
  url: string,
  name: string,
): Promise<Stream> {
  const access = { prefix: settings.streamPrefix, access: settings };
  const connect = () => connectStream({ url, name, ...access, progress, log });
  return waiting.until("NATS", connect, isStreamAway);
}

/** Whether NATS cannot serve now, but may soon. */
function isStreamAway(error: unknown): boolean {
  if (error instanceof StartError) return error.passes;
  return isUnled(error) || error instanceof ClosedConnectionError || error instanceof DrainingConnectionError;
}
