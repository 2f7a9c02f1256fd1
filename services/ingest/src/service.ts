import { DATABASE_CONNECTIONS, FLOW, LIMITS, PARTITIONS_KICK_SUBJECT } from "#contract";
import { OwnedLoop, connectService, ensureTopology, kick, onKick, topologyOf, watchNats, watchStreams } from "#nats";
import { awaitSchema, closeStore, connectStore, createDatabaseMetrics, sweepIdempotencyKeys, watchDatabase } from "#postgres";
import { readCursorKey } from "#publisher-db";
import { type RunningService, requireServers, type ServiceContext, startSampler } from "#runtime";
import { startForgetting } from "./forget-members.ts";
import { createIngestHandler } from "./handle-ingest.ts";
import { createHashPool } from "./hash-pool.ts";
import { createIngestMetrics } from "./metrics.ts";
import { PartitionOwnership } from "./ownership.ts";
import { Positions } from "./positions.ts";
import { LateRecorder } from "./record-late.ts";
import { startRelinking } from "./relink.ts";
import { sweepBatches } from "./sweep-batches.ts";
import { Unconfirmed } from "./unconfirmed.ts";

const SWEEP_INTERVAL_MS = 60_000;
/**
 * A process that is frozen or cut off in the middle of a batch holds the row of its position, which whoever takes over waits
 * for.
 */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** A look at the locks is one short query. Without an answer by then nobody knows who owns what. */
const LOCKS_TIMEOUT_MS = 2_000;

/** Wires ingest: partitions are owned one by one and spread over as many lanes as there are writers. */
export async function startIngest(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const stream = await connectService(context, natsUrl, "ingest");
  await ensureTopology(stream, topologyOf(settings), "ingest");
  const databases = createDatabaseMetrics(context.metrics);
  const connect = (pool: "writers" | "locks" | "positions" | "sweeps", max: number, timeoutMs: number) =>
    connectStore({
      url: databaseUrl,
      max,
      applicationName: pool === "writers" ? "stampede-ingest" : `stampede-ingest-${pool}`,
      observer: databases.pool(pool),
      statementTimeoutMs: timeoutMs,
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    });
  const { ingest: connections } = DATABASE_CONNECTIONS;
  const store = connect("writers", settings.ingestWriters, LIMITS.statementTimeoutMs);
  const lockStore = connect("locks", connections.locks, LOCKS_TIMEOUT_MS);
  const positionStore = connect("positions", connections.positions, LIMITS.statementTimeoutMs);
  const sweepStore = connect("sweeps", connections.sweeps, LIMITS.statementTimeoutMs);
  const key = Buffer.from(await awaitSchema(context, positionStore, readCursorKey)).toString("hex");
  const database = await watchDatabase(positionStore, context.metrics, log);
  const { now } = database;
  const nats = await watchNats(stream, context);
  const metrics = createIngestMetrics(context.metrics);
  const pool = createHashPool(settings.ingestThreads, key, metrics.pooled);
  const onLost = (partitions: readonly number[]) => {
    for (const partition of partitions) positions.drop(partition);
    ownership.forget(partitions);
  };
  const positions = new Positions({ store: positionStore, stream, log, observer: metrics, onLost });
  const late = new LateRecorder(positionStore, stream, now, log);
  const unconfirmed = new Unconfirmed(stream, (part, recorded) => late.record(part, recorded));
  const handler = createIngestHandler({ store, stream, pool, positions, unconfirmed, metrics, now });
  const loops = Array.from(
    { length: settings.ingestWriters },
    () =>
      new OwnedLoop({
        stream,
        hop: FLOW.ingest,
        handler,
        observer: metrics,
        onLost,
        tracing: context.tracing,
        log,
      }),
  );
  const loopOf = (partition: number) => loops[partition % loops.length] as OwnedLoop;
  const ownership = new PartitionOwnership({
    store: lockStore,
    partitions: settings.partitions,
    log,
    listener: {
      gained: async (partition) => loopOf(partition).add(partition, await positions.takeOver(partition)),
      lost: async (partition, finish) => {
        await loopOf(partition).remove(partition, finish);
        // What is written down now the next owner need not do again.
        if (finish)
          await positions.write().catch((error) => log.warn({ err: error }, "position was not written"));
        positions.drop(partition);
      },
    },
    announce: () => kick(stream, PARTITIONS_KICK_SUBJECT),
  });
  context.metrics.gaugeOf(
    "stampede_ingest_partitions_owned",
    "Partitions that this process consumes.",
    () => ownership.owned.length,
  );
  context.metrics
    .gauge(
      "stampede_ingest_partitions",
      "Partitions of the installation, each of which one process is to consume.",
    )
    .set(settings.partitions);
  context.metrics.gaugeOf("stampede_ingest_pool_queue", "Batches that wait for a worker thread.", () =>
    pool.queued(),
  );
  context.metrics.gaugeOf("stampede_ingest_messages_held", "Messages read and not yet published.", () =>
    loops.reduce((sum, loop) => sum + loop.held, 0),
  );
  context.metrics.gaugeOf(
    "stampede_ingest_unconfirmed_parts",
    "Parts of requests whose outcome an edge has and has not yet said that it told.",
    () => unconfirmed.size,
  );
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  health.addCheck("partitions", () => {
    const owned = `owns ${ownership.owned.length} of ${settings.partitions}`;
    const silent = ownership.owned.find(
      (partition) => loopOf(partition).feedOf(partition)?.fault !== undefined,
    );
    const fault =
      ownership.fault ??
      (silent !== undefined
        ? `partition ${silent} is not read: ${loopOf(silent).feedOf(silent)?.fault}`
        : undefined);
    return { ok: fault === undefined, detail: fault === undefined ? owned : `${owned}; ${fault}` };
  });
  const endKicks = onKick(stream, PARTITIONS_KICK_SUBJECT, () => ownership.kick());
  await ownership.start();
  const stopWriting = await startSampler({
    name: "positions",
    intervalMs: LIMITS.positionWriteMs,
    sample: () => positions.write(),
    log,
  });
  const stopSweep = await startSampler({
    name: "batch sweep",
    intervalMs: SWEEP_INTERVAL_MS,
    sample: async () => {
      // In steps, so that no statement holds many rows; the last step finds fewer than it may take.
      while ((await sweepBatches(sweepStore, LIMITS.batchKeptMs)) > 0);
    },
    log,
  });
  // Here rather than in the edge, whose requests it would be in the way of.
  const stopKeySweep = await startSampler({
    name: "idempotency key sweep",
    intervalMs: SWEEP_INTERVAL_MS,
    sample: async () => {
      while ((await sweepIdempotencyKeys(sweepStore, LIMITS.idempotencyKeyKeptMs)) > 0);
    },
    log,
  });
  const stopForgetting = startForgetting(sweepStore, log);
  const stopRelinking = startRelinking({ store: sweepStore, stream, log });
  const unwatchStreams = await watchStreams({
    stream,
    hops: [FLOW.ingest],
    kept: [FLOW.dead],
    partitions: () => ownership.owned,
    positionOf: (partition) => {
      const published = positions.publishedOf(partition);
      const read = loopOf(partition).feedOf(partition)?.last;
      return published === undefined || read === undefined ? undefined : { read, published };
    },
    metrics: context.metrics,
    log,
  });
  await stream.assertPermitted();
  return {
    async stop() {
      // Partitions first: until another process has them, requests wait for the outcome of their events.
      endKicks();
      // The loops beside it: a batch that cannot be written now is given up, and its partition with it.
      await Promise.all([ownership.stop(), ...loops.map((loop) => loop.stop())]);
      unconfirmed.stop();
      await late.stop();
      stopWriting();
      database.stop();
      nats.stop();
      stopSweep();
      stopKeySweep();
      unwatchStreams();
      await Promise.all([stopForgetting(), stopRelinking()]);
      await stream.close();
      await pool.close();
      await Promise.all([store, lockStore, positionStore, sweepStore].map(closeStore));
    },
  };
}
