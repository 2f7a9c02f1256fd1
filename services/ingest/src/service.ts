import { DATABASE_CONNECTIONS, FLOW, LIMITS, PARTITIONS_KICK_SUBJECT } from "#contract";
import { type RunningService, requireServers, type ServiceContext, startSampler } from "#runtime";
import {
  assertSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  sweepBatches,
  sweepIdempotencyKeys,
  watchDatabase,
} from "#store";
import {
  BatchLoop,
  connectService,
  ensureTopology,
  kick,
  onKick,
  topologyOf,
  watchNats,
  watchStreams,
} from "#stream";
import { startForgetting } from "./forget-members.ts";
import { createIngestHandler } from "./handle-ingest.ts";
import { createHashPool } from "./hash-pool.ts";
import { createIngestMetrics } from "./metrics.ts";
import { PartitionOwnership } from "./ownership.ts";
import { startRelinking } from "./relink.ts";

const SWEEP_INTERVAL_MS = 60_000;

/** Wires ingest: partitions are owned one by one and spread over as many lanes as there are writers. */
export async function startIngest(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const stream = await connectService(context, natsUrl, "ingest");
  await ensureTopology(stream, topologyOf(settings), "ingest");
  const databases = createDatabaseMetrics(context.metrics);
  const store = connectStore({
    url: databaseUrl,
    max: settings.ingestWriters,
    applicationName: "stampede-ingest",
    observer: databases.pool("writers"),
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  const lockStore = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.ingest.locks,
    applicationName: "stampede-ingest-locks",
    observer: databases.pool("locks"),
  });
  await assertSchema(lockStore);
  const database = await watchDatabase(lockStore, context.metrics, log);
  const nats = await watchNats(stream, context);
  const metrics = createIngestMetrics(context.metrics);
  const pool = createHashPool(settings.ingestThreads, metrics.pooled);
  const handler = createIngestHandler({ store, stream, pool, metrics });
  const loops = Array.from(
    { length: settings.ingestWriters },
    () =>
      new BatchLoop({
        stream,
        hop: FLOW.ingest,
        handler,
        observer: metrics,
        tracing: context.tracing,
        log,
      }),
  );
  const loopOf = (partition: number) => loops[partition % loops.length] as BatchLoop;
  const ownership = new PartitionOwnership({
    store: lockStore,
    partitions: settings.partitions,
    log,
    listener: {
      gained: (partition) => loopOf(partition).add(partition),
      lost: async (partition, finish) => {
        await loopOf(partition).remove(partition, finish);
        // The next owner would begin with what is acknowledged and not known to be.
        if (finish) await stream.flush();
      },
    },
    announce: () => kick(stream, PARTITIONS_KICK_SUBJECT),
  });
  stream.onConnection((connected) => {
    if (connected) ownership.resume();
    else {
      ownership.interrupt();
      for (const loop of loops) loop.interrupt();
    }
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
  context.metrics.gaugeOf(
    "stampede_ingest_messages_held",
    "Messages prefetched and not yet acknowledged.",
    () => loops.reduce((sum, loop) => sum + loop.held, 0),
  );
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  health.addCheck("partitions", () => ({
    ok: true,
    detail: `owns ${ownership.owned.length} of ${settings.partitions}`,
  }));
  const endKicks = onKick(stream, PARTITIONS_KICK_SUBJECT, () => ownership.kick());
  await ownership.start();
  const stopSweep = await startSampler({
    name: "batch sweep",
    intervalMs: SWEEP_INTERVAL_MS,
    sample: async () => {
      // In steps, so that no statement holds many rows; the last step finds fewer than it may take.
      while ((await sweepBatches(store, new Date(Date.now() - LIMITS.batchKeptMs))) > 0);
    },
    log,
  });
  // Here rather than in the edge, whose requests it would be in the way of.
  const stopKeySweep = await startSampler({
    name: "idempotency key sweep",
    intervalMs: SWEEP_INTERVAL_MS,
    sample: async () => {
      while ((await sweepIdempotencyKeys(store, LIMITS.idempotencyKeyKeptMs)) > 0);
    },
    log,
  });
  const stopForgetting = startForgetting(store, log);
  const stopRelinking = startRelinking({ store, stream, log });
  const unwatchStreams = await watchStreams({
    stream,
    hops: [FLOW.ingest],
    kept: [FLOW.dead],
    partitions: () => ownership.owned,
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
      database.stop();
      nats.stop();
      stopSweep();
      stopKeySweep();
      unwatchStreams();
      await Promise.all([stopForgetting(), stopRelinking()]);
      await stream.close();
      await pool.close();
      await Promise.all([closeStore(store), closeStore(lockStore)]);
    },
  };
}
