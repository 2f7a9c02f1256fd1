import { DATABASE_CONNECTIONS, FLOW, type Hop, LANES, LIMITS } from "#contract";
import {
  connectService,
  eachMessage,
  ensureTopology,
  SharedLoop,
  type SharedLoopOptions,
  topologyOf,
  watchNats,
  watchStreams,
} from "#nats";
import { type RunningService, requireServers, type ServiceContext } from "#runtime";
import { awaitSchema, closeStore, connectStore, createDatabaseMetrics, watchDatabase } from "#store";
import { createConfigHandler } from "./handle-config.ts";
import { createOutcomeHandler } from "./handle-outcomes.ts";
import { createSettlementHandler } from "./handle-settlements.ts";
import { createConfigMetrics } from "./metrics.ts";
import { ConfigRecheck } from "./recheck-config.ts";
import { createRewardMetrics } from "./reward-metrics.ts";

/** As many as a loop holds messages: one that hangs holds up no acknowledgement but its own. */
const CONFIG_LANES = 16;

/**
 * Wires rewards: programs and deals from the platform go into the publisher's database, outcomes and settlements become
 * stamps, cashbacks and events there.
 */
export async function startRewards(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const stream = await connectService(context, natsUrl, "rewards");
  const topology = topologyOf(settings);
  await ensureTopology(stream, topology, "rewards");
  const databases = createDatabaseMetrics(context.metrics);
  const connect = (pool: string, max: number) =>
    connectStore({
      url: databaseUrl,
      max,
      applicationName: "stampede-rewards",
      observer: databases.pool(pool),
      statementTimeoutMs: LIMITS.statementTimeoutMs,
    });
  // Apart from each other: configuration must show within a second, however much there is to reward.
  const configStore = connect("config", DATABASE_CONNECTIONS.rewards.config);
  const store = connect("batches", DATABASE_CONNECTIONS.rewards.batches);
  await awaitSchema(context, configStore);
  const database = await watchDatabase(configStore, context.metrics, log);
  const { now } = database;
  const nats = await watchNats(stream, context);
  const configMetrics = createConfigMetrics(context.metrics);
  const rewardMetrics = createRewardMetrics(context.metrics);
  const configHandler = createConfigHandler({ store: configStore, metrics: configMetrics, log });
  const startLoop = (
    hop: Hop,
    options: Pick<SharedLoopOptions, "handler" | "observer" | "lanes" | "spacingMs">,
  ) => SharedLoop.start({ stream, hop, topology, tracing: context.tracing, log, ...options });
  const [config, outcomes, settlements] = await Promise.all([
    startLoop(FLOW.config, {
      handler: eachMessage(configHandler),
      observer: configMetrics,
      lanes: CONFIG_LANES,
    }),
    startLoop(FLOW.outcomes, {
      handler: createOutcomeHandler({ store, stream, metrics: rewardMetrics.outcomes, now, log }),
      observer: rewardMetrics.outcomes,
      lanes: LANES.rewards,
      spacingMs: LIMITS.sharedSpacingMs,
    }),
    startLoop(FLOW.settlement, {
      handler: createSettlementHandler({ store, stream, metrics: rewardMetrics.settlements, now, log }),
      observer: rewardMetrics.settlements,
      lanes: LANES.rewards,
      spacingMs: LIMITS.sharedSpacingMs,
    }),
  ]);
  context.metrics.gaugesOf(
    "stampede_rewards_messages_held",
    "Messages taken and not yet acknowledged, by the stream that they are of.",
    "hop",
    () => ({
      [FLOW.config.stream]: config.held,
      [FLOW.outcomes.stream]: outcomes.held,
      [FLOW.settlement.stream]: settlements.held,
    }),
  );
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  const unwatchStreams = await watchStreams({
    stream,
    hops: [FLOW.config, FLOW.outcomes, FLOW.settlement],
    metrics: context.metrics,
    log,
  });
  await stream.assertPermitted();
  const recheck = new ConfigRecheck({ stream, handler: configHandler, log });
  return {
    async stop() {
      database.stop();
      nats.stop();
      unwatchStreams();
      await Promise.all([recheck.stop(), config.stop(), outcomes.stop(), settlements.stop()]);
      await stream.close();
      await Promise.all([closeStore(configStore), closeStore(store)]);
    },
  };
}
