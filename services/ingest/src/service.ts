import { DATABASE_CONNECTIONS, FLOW, LIMITS, PARTITIONS_KICK_SUBJECT } from "#contract";
import {
  CopyGuard,
  connectService,
  ensureTopology,
  kick,
  OrderedLoop,
  onKick,
  ReplayWindow,
  type Stream,
  topologyOf,
  watchNats,
  watchStreams,
} from "#nats";
import {
  awaitSchema,
  BEFORE_ALL_TIMES,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  nameDatabase,
  PartitionOwnership,
  type Store,
  SweepPlace,
  showOwnership,
  sweepIdempotencyKeys,
  watchDatabase,
} from "#postgres";
import { readCursorKey } from "#publisher-db";
import { Cleanup, type RunningService, repeat, requireServers, type ServiceContext } from "#runtime";
import { createHashPool, type HashPool } from "./batch/hash-pool.ts";
import type { PreparedBatch } from "./batch/prepare-batch.ts";
import { startForgetting } from "./cleanup/forget-members.ts";
import { startRetention } from "./cleanup/retention.ts";
import { sweepConsoleAudit } from "./cleanup/sweep-console-audit.ts";
import {
  BEFORE_ALL_FINDINGS,
  sweepFindings,
  sweepGaps,
  sweepReplayRejections,
} from "./cleanup/sweep-findings.ts";
import { type CommittedBatch, IngestSteps } from "./handle-ingest.ts";
import { createIngestMetrics, createRetentionMetrics } from "./metrics.ts";
import { Positions } from "./positions/positions.ts";
import { ChangePublisher } from "./publish/publish-changes.ts";
import { startRelinking } from "./publish/relink.ts";

const SWEEP_INTERVAL_MS = 60_000;
/**
 * A process that freezes or is cut off in the middle of a batch holds the row of its position, and the next
 * owner waits for it.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;

/**
 * Wires ingest. Each partition is owned separately; as many batches run concurrently as there are writers.
 */
export async function startIngest(context: ServiceContext): Promise<RunningService> {
  const { settings, log, metrics: factory } = context;
  const cleanup = new Cleanup();
  const { stores, stream, now, key } = await openServers(context, cleanup);
  const metrics = createIngestMetrics(factory);
  const pool = createHashPool(settings.ingestThreads, key, metrics.pooled);
  cleanup.defer(() => pool.close());
  const { partitions } = settings;
  startBackground(context, { store: stores.sweeps, stream }, cleanup);
  const onLost = (partitions: readonly number[]) => {
    for (const partition of partitions) positions.drop(partition);
    ownership.forget(partitions);
  };
  // Through the loop, which stops its reading first.
  const lose = (partitions: readonly number[]) => void loop.lose(partitions);
  const window = new ReplayWindow(stream, settings.replayMinutes);
  const positions = new Positions({
    store: stores.positions,
    stream,
    log,
    observer: metrics,
    window,
    onLost: lose,
  });
  const writing = repeat({
    name: "positions",
    everyMs: LIMITS.positionWriteMs,
    work: () => positions.write(),
    failed: "positions were not written",
    log,
  });
  cleanup.defer(() => writing.stop());
  const changes = new ChangePublisher(stream, partitions);
  const parts = { changes, store: stores.writers, stream, pool, positions, metrics, now };
  const loop = new OrderedLoop({
    stream,
    hop: FLOW.ingest,
    steps: new IngestSteps(parts),
    lanes: settings.ingestWriters,
    observer: metrics,
    onLost,
    onGone: (partition, through) => positions.gone(partition, through),
    tracing: context.tracing,
    log,
  });
  const ownership = createOwnership(context, { store: stores.locks, stream, positions, loop, window });
  showIngest(context, { ownership, loop, pool });
  // Partitions first: until another process has them, requests wait for the outcome of their events. The loop
  // stops concurrently: it gives up a batch that it cannot write now, and its partition with it.
  cleanup.defer(() => Promise.all([ownership.stop(), loop.stop()]));
  cleanup.defer(onKick(stream, PARTITIONS_KICK_SUBJECT, () => ownership.kick()));
  await ownership.start();
  cleanup.defer(await watchIngest(context, { stream, positions, loop, ownership }));
  await stream.assertPermitted();
  return { stop: () => cleanup.close() };
}

/** PostgreSQL and NATS, with their checks. */
async function openServers(context: ServiceContext, cleanup: Cleanup) {
  const { settings, log, health, metrics } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const databases = createDatabaseMetrics(metrics);
  const connect = (pool: "writers" | "locks" | "positions" | "sweeps", max: number, timeoutMs: number) =>
    connectStore({
      url: databaseUrl,
      max,
      applicationName: pool === "writers" ? "stampede-ingest" : `stampede-ingest-${pool}`,
      observer: databases.pool(pool),
      statementTimeoutMs: timeoutMs,
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
      plansByIndex: pool === "writers",
    });
  const { ingest: connections } = DATABASE_CONNECTIONS;
  const stores = {
    writers: connect("writers", settings.ingestWriters, LIMITS.statementTimeoutMs),
    locks: connect("locks", connections.locks, LIMITS.locksTimeoutMs),
    positions: connect("positions", connections.positions, LIMITS.statementTimeoutMs),
    sweeps: connect("sweeps", connections.sweeps, LIMITS.statementTimeoutMs),
  };
  cleanup.defer(() => Promise.all(Object.values(stores).map(closeStore)));
  const stream = await connectService(context, natsUrl, "ingest");
  cleanup.defer(() => stream.close());
  await ensureTopology(stream, topologyOf(settings), "ingest");
  const key = Buffer.from(await awaitSchema(context, stores.positions, readCursorKey)).toString("hex");
  const database = await watchDatabase(stores.positions, metrics, log, context.progress);
  cleanup.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  return { stores, stream, now: database.now, key };
}

/** Periodic work that does not depend on owning partitions. */
function startBackground(
  { settings, log, metrics }: ServiceContext,
  { store, stream }: { readonly store: Store; readonly stream: Stream },
  cleanup: Cleanup,
): void {
  const { partitions, transactionRetentionDays: days, consoleAuditRetentionDays: auditDays } = settings;
  const byTime = () => new SweepPlace(BEFORE_ALL_TIMES);
  const byFinding = () => new SweepPlace(BEFORE_ALL_FINDINGS);
  const sweep = (name: string, place: SweepPlace, step: (place: SweepPlace) => Promise<number>) => {
    // In steps, so that no statement locks many rows. The last step finds fewer rows than it may take.
    const work = async (signal: AbortSignal) => {
      while (!signal.aborted && (await step(place)) > 0);
    };
    const { stop } = repeat({ name, everyMs: SWEEP_INTERVAL_MS, work, failed: "sweep failed", log });
    return stop;
  };
  const stops = [
    sweep("rejection sweep", byFinding(), (place) =>
      sweepFindings(store, "transaction_rejections", LIMITS.rejectionKeptMs, place),
    ),
    sweep("ignored field sweep", byFinding(), (place) =>
      sweepFindings(store, "ignored_fields", LIMITS.batchKeptMs, place),
    ),
    sweep("replay rejection sweep", byTime(), () => sweepReplayRejections(store, LIMITS.rejectionKeptMs)),
    sweep("gap sweep", byTime(), () => sweepGaps(store, LIMITS.batchKeptMs)),
    // Here and not in the edge, because it would slow requests down there.
    sweep("idempotency key sweep", byTime(), (place) =>
      sweepIdempotencyKeys(store, LIMITS.idempotencyKeyKeptMs, undefined, place),
    ),
    sweep("console audit sweep", byTime(), (place) => sweepConsoleAudit(store, auditDays, place)),
    startForgetting(store, log),
    startRelinking({ store, stream, partitions, log }),
    startRetention({ store, days, metrics: createRetentionMetrics(metrics), log }),
  ];
  cleanup.defer(() => Promise.all(stops.map((stop) => stop())));
}

/** @returns the function that ends it */
function watchIngest(
  { settings, metrics, log }: ServiceContext,
  {
    stream,
    positions,
    loop,
    ownership,
  }: Omit<OwnershipParts, "store"> & { readonly ownership: PartitionOwnership },
): Promise<() => void> {
  return watchStreams({
    stream,
    hops: [FLOW.ingest],
    kept: [FLOW.dead],
    replayMinutes: settings.replayMinutes,
    partitions: () => ownership.watched,
    positionOf: (_hop, partition) => {
      const done = positions.publishedOf(partition);
      const read = loop.feedOf(partition)?.last;
      const replay = positions.replayOf(partition);
      return done === undefined || read === undefined ? undefined : { read, done, replay };
    },
    metrics,
    log,
  });
}

type IngestLoop = OrderedLoop<PreparedBatch, CommittedBatch>;

interface OwnershipParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly positions: Positions;
  readonly loop: IngestLoop;
}

function createOwnership(
  { settings, log }: ServiceContext,
  { store, stream, positions, loop, window }: OwnershipParts & { readonly window: ReplayWindow },
): PartitionOwnership {
  const guard = new CopyGuard({
    stream,
    side: "publisher",
    readDatabase: () => nameDatabase(store),
    owned: () => ownership.locked,
  });
  const ownership = new PartitionOwnership({
    store,
    service: "ingest",
    partitions: settings.partitions,
    log,
    listener: {
      gained: async (partition) => {
        await guard.whileAlone(async () => loop.add(partition, await positions.takeOver(partition)));
      },
      lost: async (partition, finish) => {
        await loop.remove(partition, finish);
        // The next owner need not repeat anything written now.
        if (finish)
          await positions.write().catch((error) => log.warn({ err: error }, "position was not written"));
        positions.drop(partition);
      },
      adrift: (partitions) => window.makeRoom(FLOW.ingest, partitions),
    },
    announce: () => kick(stream, PARTITIONS_KICK_SUBJECT),
  });
  return ownership;
}

/** The metrics and readiness of the partitions that this process owns. */
function showIngest(
  context: ServiceContext,
  parts: {
    readonly ownership: PartitionOwnership;
    readonly loop: IngestLoop;
    readonly pool: HashPool;
  },
): void {
  const { ownership, loop, pool } = parts;
  showOwnership(context, { ownership, partitions: context.settings.partitions, readers: [loop] });
  context.metrics.gaugeOf("stampede_ingest_pool_queue", "Batches that wait for a worker thread.", () =>
    pool.queued(),
  );
}
