import { DATABASE_CONNECTIONS, FLOW, LANES, LIMITS } from "#contract";
import {
  connectService,
  eachMessage,
  ensureTopology,
  SharedLoop,
  type TopologyOptions,
  topologyOf,
  watchNats,
  watchStreams,
} from "#nats";
import { awaitSchema, closeStore, connectStore, createDatabaseMetrics, watchDatabase } from "#postgres";
import { assertPublisherSchema } from "#publisher-db";
import { Closing, type RunningService, requireServers, type ServiceContext } from "#runtime";
import { createConfigHandler } from "./handle-config.ts";
import { createOutcomeHandler, createSettlementHandler } from "./handle-rewards.ts";
import { createConfigMetrics, createRewardMetrics } from "./metrics.ts";
import { startConfigRecheck } from "./recheck-config.ts";

/** As many as a loop holds messages (`HELD_MESSAGES`), so that one slow message delays no other. */
const CONFIG_LANES = 16;

/**
 * Wires rewards: programs and deals from the platform go into the publisher's database; outcomes and settlements become
 * stamps, cashbacks and webhook events there.
 */
export async function startRewards(context: ServiceContext): Promise<RunningService> {
  const { settings, log, metrics } = context;
  const closing = new Closing();
  const topology = topologyOf(settings);
  const { configStore, store, stream, now } = await openServers(context, topology, closing);
  const configMetrics = createConfigMetrics(metrics);
  const rewardMetrics = createRewardMetrics(metrics);
  const configHandler = createConfigHandler({ store: configStore, metrics: configMetrics, log });
  const shared = { stream, topology, tracing: context.tracing, log };
  const [config, outcomes, settlements] = await Promise.all([
    SharedLoop.start({
      ...shared,
      hop: FLOW.config,
      handler: eachMessage(configHandler),
      observer: configMetrics,
      lanes: CONFIG_LANES,
    }),
    SharedLoop.start({
      ...shared,
      hop: FLOW.outcomes,
      handler: createOutcomeHandler({ store, stream, metrics: rewardMetrics.outcomes, now, log }),
      observer: rewardMetrics.outcomes,
      lanes: LANES.rewards,
      spacingMs: LIMITS.sharedSpacingMs,
    }),
    SharedLoop.start({
      ...shared,
      hop: FLOW.settlement,
      handler: createSettlementHandler({ store, stream, metrics: rewardMetrics.settlements, now, log }),
      observer: rewardMetrics.settlements,
      lanes: LANES.rewards,
      spacingMs: LIMITS.sharedSpacingMs,
    }),
  ]);
  metrics.gaugesOf(
    "stampede_rewards_messages_held",
    "Messages taken and not yet acknowledged, by stream.",
    "hop",
    () => ({
      [FLOW.config.stream]: config.held,
      [FLOW.outcomes.stream]: outcomes.held,
      [FLOW.settlement.stream]: settlements.held,
    }),
  );
  const hops = [FLOW.config, FLOW.outcomes, FLOW.settlement];
  const unwatchStreams = await watchStreams({ stream, hops, metrics, log });
  await stream.assertPermitted();
  const stopRecheck = startConfigRecheck({ stream, handler: configHandler, log });
  closing.defer(() => Promise.all([stopRecheck(), config.stop(), outcomes.stop(), settlements.stop()]));
  closing.defer(unwatchStreams);
  return { stop: () => closing.close() };
}

/** Connects to PostgreSQL and NATS, and adds their health checks. */
async function openServers(context: ServiceContext, topology: TopologyOptions, closing: Closing) {
  const { settings, log, health, metrics } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const databases = createDatabaseMetrics(metrics);
  const connect = (pool: string, max: number) =>
    connectStore({
      url: databaseUrl,
      max,
      applicationName: "stampede-rewards",
      observer: databases.pool(pool),
      statementTimeoutMs: LIMITS.statementTimeoutMs,
      // Every batch has another number of everything: planning anew each time cost the database 16 µs an outcome.
      plansByIndex: pool === "batches",
    });
  // Two pools: configuration must show within a second, however many outcomes and settlements there are.
  const configStore = connect("config", DATABASE_CONNECTIONS.rewards.config);
  const store = connect("batches", DATABASE_CONNECTIONS.rewards.batches);
  closing.defer(() => Promise.all([configStore, store].map(closeStore)));
  const stream = await connectService(context, natsUrl, "rewards");
  closing.defer(() => stream.close());
  await ensureTopology(stream, topology, "rewards");
  await awaitSchema(context, configStore, assertPublisherSchema);
  const database = await watchDatabase(configStore, metrics, log);
  closing.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  closing.defer(() => nats.stop());
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  return { configStore, store, stream, now: database.now };
}
