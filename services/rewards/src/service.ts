import { DATABASE_CONNECTIONS, FLOW, type Hop, LANES, LIMITS } from "#contract";
import {
  CopyGuard,
  connectService,
  eachMessage,
  ensureTopology,
  ReplayWindow,
  readStreamIfThere,
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
  nameDatabase,
  PartitionOwnership,
  type Store,
  StreamPlaces,
  showOwnership,
  watchDatabase,
} from "#postgres";
import { assertPublisherSchema } from "#publisher-db";
import { Cleanup, type RunningService, requireServers, type ServiceContext } from "#runtime";
import { awaitIngest, awaitOutcomes } from "./await-ingest.ts";
import { createConfigHandler } from "./handle-config.ts";
import { createOutcomeHandler, createSettlementHandler } from "./handle-rewards.ts";
import { LateTakeOver } from "./late-take-over.ts";
import { createConfigMetrics, createRewardMetrics } from "./metrics.ts";
import { startRetrying } from "./retry-outcomes.ts";
import { startTellingLateRetroactive } from "./store/late-retroactive.ts";

/** As many lanes as a loop holds messages, so that one slow message delays no other. */
const CONFIG_LANES = LIMITS.messagesHeld;
/** The owner of this partition also reads CONFIG, which has no partitions. */
const CONFIG_PARTITION = 0;

/**
 * Wires rewards: programs and deals from the platform go into the publisher's database; outcomes and settlements become stamps,
 * cashbacks and webhook events there. The owner of a partition reads both streams.
 */
export async function startRewards(context: ServiceContext): Promise<RunningService> {
  const { settings, log, metrics } = context;
  const cleanup = new Cleanup();
  const topology = topologyOf(settings);
  const servers = await openServers(context, topology, cleanup);
  const { stream, stores } = servers;
  const loops = createLoops(context, servers, topology, (lost) => ownership.forget(lost));
  const all = [loops.config, loops.outcomes, loops.settlements];
  metrics.gaugesOf(
    "stampede_rewards_messages_held",
    "Messages that were read and are not done, by stream.",
    "hop",
    () => Object.fromEntries(all.map((loop) => [loop.hop.stream, loop.held])),
  );
  const settlements = new LateTakeOver(loops.settlements, log);
  const readers = [loops.config, loops.outcomes, settlements];
  const readersOf = (partition: number) => (partition === CONFIG_PARTITION ? readers : readers.slice(1));
  const { partitions } = settings;
  const guard = new CopyGuard({
    stream,
    side: "publisher",
    readDatabase: () => nameDatabase(stores.locks),
    owned: () => ownership.locked,
  });
  const ownership = new PartitionOwnership({
    store: stores.locks,
    service: "rewards",
    partitions,
    log,
    listener: {
      gained: async (partition) => {
        await guard.whileAlone(async () => {
          for (const reader of readersOf(partition)) await reader.takeOver(partition);
        });
      },
      lost: async (partition, finish) => {
        await Promise.all(readersOf(partition).map((reader) => reader.remove(partition, finish)));
      },
      adrift: async (partitions) => {
        for (const loop of [loops.outcomes, loops.settlements]) await loop.makeRoom(partitions);
      },
    },
  });
  showOwnership(context, { ownership, partitions, readers });
  const { handleKept: handle, assertReplayed } = loops;
  cleanup.defer(startRetrying({ store: stores.batches, handle, assertReplayed, log }));
  cleanup.defer(startTellingLateRetroactive(stores.config, log));
  // Concurrently: a batch that cannot be finished now is given up, and its partition with it.
  cleanup.defer(() => Promise.all([ownership.stop(), ...readers.map((reader) => reader.stop())]));
  await ownership.start();
  const unwatchStreams = await watchStreams({
    stream,
    hops: all.map(({ hop }) => hop),
    replayMinutes: settings.replayMinutes,
    partitions: () => ownership.watched,
    positionOf: (hop, partition) => all.find((loop) => loop.hop === hop)?.positionOf(partition),
    metrics,
    log,
  });
  cleanup.defer(unwatchStreams);
  await stream.assertPermitted();
  return { stop: () => cleanup.close() };
}

interface Servers {
  readonly stores: Readonly<Record<"config" | "batches" | "locks", Store>>;
  readonly stream: Stream;
  /** The database's time. */
  readonly now: () => Date;
}

function createLoops(
  { metrics: factory, settings, tracing, log }: ServiceContext,
  { stores, stream, now }: Servers,
  topology: TopologyOptions,
  onLost: (partitions: readonly number[]) => void,
) {
  const metrics = createRewardMetrics(factory);
  const parts = { stream, topology, tracing, log };
  const batches = { store: stores.batches, stream, now, log };
  const assertIngested = awaitIngest(stores.config, settings.partitions);
  const assertReplayed = awaitOutcomes(
    stores.config,
    settings.partitions,
    FLOW.outcomes.stream,
    assertIngested,
  );
  const places = new StreamPlaces({
    sql: stores.locks,
    service: "rewards",
    assertReady: (hop) => (hop === FLOW.settlement.stream ? assertReplayed() : assertIngested()),
    readHeld: async (hop, partition) =>
      hop === FLOW.outcomes.stream ? readStreamIfThere(stream, FLOW.outcomes, partition) : undefined,
  });
  const noteServer = (hop: Hop) => (messages: readonly StreamMessage[]) =>
    places.noteServer(hop.stream, messages);
  const outcomes = { ...batches, metrics: metrics.outcomes, noteServer: noteServer(FLOW.outcomes) };
  const handleOutcomes = createOutcomeHandler({
    ...outcomes,
    isReplayed: (message) => places.isReplayed(FLOW.outcomes.stream, message),
  });
  const rewards = {
    ...parts,
    places,
    window: new ReplayWindow(stream, settings.replayMinutes),
    onLost,
    lanes: LANES.rewards,
    spacingMs: LIMITS.unorderedSpacingMs,
  };
  return {
    handleKept: createOutcomeHandler({ ...outcomes, pendingMax: Number.POSITIVE_INFINITY }),
    assertReplayed,
    config: new UnorderedLoop({
      ...parts,
      hop: FLOW.config,
      handler: eachMessage(createConfigHandler({ store: stores.config, log })),
      observer: createConfigMetrics(factory),
      lanes: CONFIG_LANES,
    }),
    outcomes: new UnorderedLoop({
      ...rewards,
      hop: FLOW.outcomes,
      handler: handleOutcomes,
      observer: metrics.outcomes,
    }),
    settlements: new UnorderedLoop({
      ...rewards,
      hop: FLOW.settlement,
      handler: createSettlementHandler({
        ...batches,
        metrics: metrics.settlements,
        noteServer: noteServer(FLOW.settlement),
      }),
      observer: metrics.settlements,
    }),
  };
}

/** Connects to PostgreSQL and NATS, and adds their health checks. */
async function openServers(
  context: ServiceContext,
  topology: TopologyOptions,
  cleanup: Cleanup,
): Promise<Servers> {
  const { settings, log, health, metrics } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const databases = createDatabaseMetrics(metrics);
  const connect = (
    pool: "config" | "batches" | "locks",
    statementTimeoutMs: number = LIMITS.statementTimeoutMs,
  ) =>
    connectStore({
      url: databaseUrl,
      max: DATABASE_CONNECTIONS.rewards[pool],
      applicationName: pool === "locks" ? "stampede-rewards-locks" : "stampede-rewards",
      observer: databases.pool(pool),
      statementTimeoutMs,
      // Batches differ in size: a new plan each time cost the database 16 µs an outcome.
      plansByIndex: pool === "batches",
    });
  // Two pools: configuration must take effect within a second, however many outcomes and settlements there
  // are.
  const stores = {
    config: connect("config"),
    batches: connect("batches"),
    locks: connect("locks", LIMITS.locksTimeoutMs),
  };
  cleanup.defer(() => Promise.all(Object.values(stores).map(closeStore)));
  const stream = await connectService(context, natsUrl, "rewards");
  cleanup.defer(() => stream.close());
  await ensureTopology(stream, topology, "rewards");
  await awaitSchema(context, stores.config, assertPublisherSchema);
  const database = await watchDatabase(stores.config, metrics, log, context.progress);
  cleanup.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  return { stores, stream, now: database.now };
}
