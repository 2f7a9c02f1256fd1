import { DATABASE_CONNECTIONS, FLOW, LANES, LIMITS } from "#contract";
import { openApiDocument } from "#contract/openapi";
import { PLATFORM_API, PLATFORM_PREFIX, PLATFORM_ROUTES } from "#contract/platform";
import { isTokenSecret } from "#domain";
import { CursorKey, createFailedTokens, referencePages, serveApi } from "#http";
import {
  CopyGuard,
  connectService,
  ensureTopology,
  ReplayWindow,
  type Stream,
  type StreamMessage,
  type TopologyOptions,
  topologyOf,
  UnorderedLoop,
  watchNats,
  watchStreams,
} from "#nats";
import {
  awaitSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  explainDatabaseFault,
  nameDatabase,
  PartitionOwnership,
  type Store,
  StreamPlaces,
  showOwnership,
  watchDatabase,
} from "#postgres";
import {
  Cleanup,
  type Health,
  type Log,
  type MetricFactory,
  type RunningService,
  requirePlatformServers,
  type ServiceContext,
  startSampler,
  type Tracing,
} from "#runtime";
import { ConfigurationCache, readPlatformCursorKey } from "./configuration/configuration.ts";
import { dealEndpoints } from "./configuration/deals.ts";
import { dryRunEndpoints } from "./configuration/dry-run.ts";
import { programEndpoints } from "./configuration/programs.ts";
import { ConfigurationPublisher } from "./configuration/publish-configuration.ts";
import { authenticate, type PlatformCaller } from "./endpoint.ts";
import { explainEndpoints } from "./explain/explain.ts";
import { createRecordHandler } from "./handle-records.ts";
import { measureOutcomeQueue, type QueuedOutcomes } from "./matching/outcome-queue.ts";
import { OutcomePublisher } from "./matching/publish-outcomes.ts";
import { startSweep } from "./matching/sweep-halves.ts";
import { startUnroutedWalk } from "./matching/unrouted-records.ts";
import { startReleaseWalk } from "./matching/walk-releases.ts";
import { createLinkMetrics, createMatchingMetrics } from "./metrics.ts";
import { paymentEndpoints, paymentIntake } from "./payments.ts";
import { readPaymentEndpoints } from "./read-payments.ts";
import { retailerEndpoints } from "./retailers/retailers.ts";

/**
 * Wires the reference platform: its API, the stream of ingest's records, the streams of outcomes, and the publication of programs
 * and deals.
 */
export async function startPlatform(context: ServiceContext): Promise<RunningService> {
  const cleanup = new Cleanup();
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requirePlatformServers(settings);
  const stream = await connectService(context, natsUrl, "platform");
  cleanup.defer(() => stream.close());
  const topology = topologyOf(settings);
  await ensureTopology(stream, topology, "platform");
  const { store, locks } = openStores(context, databaseUrl);
  cleanup.defer(() => Promise.all([store, locks].map(closeStore)));
  const cursors = new CursorKey(await awaitSchema(context, store, readPlatformCursorKey));
  const database = await watchDatabase(store, context.metrics, log, context.progress);
  cleanup.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  const parts = { store, stream, topology, tracing: context.tracing, log };
  const matching = await startMatching({
    ...parts,
    replayMinutes: settings.replayMinutes,
    locks,
    metrics: context.metrics,
    health,
  });
  const publisher = createPublisher(context, { ...parts, assertAlone: matching.assertAlone });
  cleanup.defer(() => Promise.all([matching.stop(), publisher.stop()]));
  const pages = await referencePages(openApiDocument(PLATFORM_API), PLATFORM_API.title);
  // Each caller has its own queue: the platform's token, each retailer, and the look-ups of tokens.
  const ownStore = store.lineOf("platform");
  const access = {
    store: ownStore,
    cursors,
    onChange: (traceparent?: string) => publisher.kick(traceparent),
  };
  const { platformHost: host, platformPort: port } = settings;
  const api = await serveApi<PlatformCaller>(context, {
    prefix: PLATFORM_PREFIX,
    pages,
    routes: Object.keys(PLATFORM_ROUTES),
    endpoints: [
      ...programEndpoints(access),
      ...dealEndpoints(access),
      ...dryRunEndpoints(ownStore),
      ...retailerEndpoints(access),
      ...paymentEndpoints(ownStore, matching.takePayments),
      ...readPaymentEndpoints(ownStore, cursors),
      ...explainEndpoints(ownStore, database.now),
    ],
    looksRight: isTokenSecret,
    authenticate: (token) => authenticate(store.lineOf("tokens"), token),
    failures: createFailedTokens(settings),
    headers: [settings.clientAddressHeader],
    senderOf: (caller) => (caller.kind === "platform" ? "platform" : caller.retailerId),
    describeCaller,
    explainFault: explainDatabaseFault,
    listen: { name: "reference platform", host, port, portSetting: "STAMPEDE_PLATFORM_PORT" },
  });
  // Closed first: requests need matching and the publisher for their answers.
  cleanup.defer(() => api.close(LIMITS.requestDrainMs));
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  health.addCheck("http", () => api.check());
  await stream.assertPermitted();
  return { url: api.url, stop: () => cleanup.close() };
}

function createPublisher(
  { metrics }: ServiceContext,
  parts: Omit<ConstructorParameters<typeof ConfigurationPublisher>[0], "metrics">,
): ConfigurationPublisher {
  return new ConfigurationPublisher({ ...parts, metrics: createLinkMetrics(metrics) });
}

function openStores({ metrics }: ServiceContext, url: string): { store: Store; locks: Store } {
  const databases = createDatabaseMetrics(metrics);
  const { api, matching, locks } = DATABASE_CONNECTIONS.platform;
  const connect = (pool: string, max: number, statementTimeoutMs: number) =>
    connectStore({
      url,
      max,
      applicationName: pool === "main" ? "stampede-platform" : `stampede-platform-${pool}`,
      observer: databases.pool(pool),
      statementTimeoutMs,
    });
  return {
    store: connect("main", api + matching, LIMITS.statementTimeoutMs),
    locks: connect("locks", locks, LIMITS.locksTimeoutMs),
  };
}

interface MatchingParts {
  /** The platform's database, with `DATABASE_CONNECTIONS.platform.matching` connections for matching. */
  readonly store: Store;
  /** The same database, with one connection that holds the locks of partitions. */
  readonly locks: Store;
  readonly stream: Stream;
  readonly topology: TopologyOptions;
  readonly replayMinutes: number;
  readonly metrics: MetricFactory;
  readonly health: Health;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

const QUEUE_SAMPLE_MS = 5_000;

/**
 * Wires matching, which pairs payments with publishers' records: records come from the stream, payments from callers, and outcomes
 * go to the stream.
 */
export async function startMatching({ store, stream, topology, replayMinutes, ...parts }: MatchingParts) {
  const { log, tracing } = parts;
  const { partitions } = topology;
  const metrics = createMatchingMetrics(parts.metrics);
  const configuration = new ConfigurationCache(store);
  const publisher = new OutcomePublisher({ store, stream, partitions, tracing, log });
  const onOutcomes = (queued: readonly QueuedOutcomes[]) => publisher.publish(queued);
  const places = new StreamPlaces({
    sql: parts.locks,
    service: "platform",
    table: "platform.stream_places",
  });
  const assertSameServer = (messages: readonly StreamMessage[]) =>
    places.noteServer(FLOW.platformTransactions.stream, messages)(store);
  const records = { store, stream, configuration, metrics, onOutcomes, log };
  const handle = createRecordHandler({ ...records, assertSameServer });
  const loop = new UnorderedLoop({
    stream,
    hop: FLOW.platformTransactions,
    topology,
    places,
    window: new ReplayWindow(stream, replayMinutes),
    handler: handle,
    onLost: (lost) => ownership.forget(lost),
    lanes: LANES.records,
    spacingMs: LIMITS.unorderedSpacingMs,
    observer: metrics,
    tracing,
    log,
  });
  parts.metrics.gaugeOf(
    "stampede_platform_messages_held",
    "Messages with records that were read and are not done.",
    () => loop.held,
  );
  const ownership = await startReading({ stream, partitions, replayMinutes, ...parts }, loop);
  const stopSampling = await startSampler({
    name: "outcome queue",
    intervalMs: QUEUE_SAMPLE_MS,
    sample: async () => metrics.queued(await measureOutcomeQueue(store)),
    log,
  });
  const stopSweep = startSweep(store, log);
  const judge = async () => (await configuration.current()).judge;
  const stopReleaseWalk = startReleaseWalk({ store, judge, onOutcomes, log });
  const stopUnroutedWalk = startUnroutedWalk({ store, configuration, handle, log });
  return {
    takePayments: paymentIntake({ store, configuration, metrics, onOutcomes }),
    /** Throws if the platform of another database reads these streams. */
    assertAlone: () => ownership.assertAlone(),
    /** Finishes the work under way. Call it once no more payments are accepted. */
    async stop() {
      stopSampling();
      await Promise.all([stopSweep(), stopReleaseWalk(), stopUnroutedWalk()]);
      await ownership.stop();
      await publisher.stop();
    },
  };
}

/** Shares the partitions with the other processes, and lets the loop read those that are ours. */
async function startReading(
  {
    stream,
    partitions,
    replayMinutes,
    locks,
    log,
    ...shown
  }: Omit<MatchingParts, "store" | "topology"> & { partitions: number },
  loop: UnorderedLoop,
): Promise<{
  stop(): Promise<void>;
  forget(partitions: readonly number[]): void;
  assertAlone(): Promise<void>;
}> {
  const guard = new CopyGuard({
    stream,
    side: "platform",
    readDatabase: () => nameDatabase(locks),
    owned: () => ownership.locked,
  });
  const ownership = new PartitionOwnership({
    store: locks,
    service: "platform",
    partitions,
    log,
    listener: {
      gained: async (partition) => {
        await guard.whileAlone(() => loop.takeOver(partition));
      },
      lost: (partition, finish) => loop.remove(partition, finish),
      adrift: (partitions) => loop.makeRoom(partitions),
    },
  });
  showOwnership(shown, { ownership, partitions, readers: [loop], servesRequests: true });
  await ownership.start();
  const unwatchStreams = await watchStreams({
    stream,
    hops: [loop.hop],
    replayMinutes,
    partitions: () => ownership.watched,
    positionOf: (_hop, partition) => loop.positionOf(partition),
    metrics: shown.metrics,
    log,
  });
  return {
    forget: (lost) => ownership.forget(lost),
    assertAlone: () => guard.assertAlone(),
    async stop() {
      unwatchStreams();
      // Concurrently: a batch that cannot be finished now is given up, and its partition with it.
      await Promise.all([ownership.stop(), loop.stop()]);
    },
  };
}

function describeCaller(caller: PlatformCaller | undefined) {
  if (caller === undefined) return {};
  return caller.kind === "platform" ? { token: caller.tokenId } : { retailer: caller.retailerId };
}
