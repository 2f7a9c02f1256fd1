import { FLOW, LIMITS } from "#contract";
import { type RunningService, requireServers, type ServiceContext } from "#runtime";
import { closeStore, connectStore, watchDatabase } from "#store";
import { connectStream, ensureTopology, SharedLoop, watchStreams } from "#stream";
import { createConfigHandler } from "./handle-config.ts";
import { createConfigMetrics } from "./metrics.ts";

/** One that hangs leaves another to the messages behind it. */
const CONNECTIONS = 2;

/** Wires rewards: programs and deals from the platform go into the publisher's database. */
export async function startRewards(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const stream = await connectStream({ url: natsUrl, name: "rewards", prefix: settings.streamPrefix, log });
  const topology = { partitions: settings.partitions, maxBytes: settings.streamMaxBytes };
  await ensureTopology(stream, topology);
  const store = connectStore({
    url: databaseUrl,
    max: CONNECTIONS,
    applicationName: "stampede-rewards",
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  const database = await watchDatabase(store, context.metrics, log);
  const metrics = createConfigMetrics(context.metrics);
  const handler = createConfigHandler({ store, metrics, log });
  const hop = FLOW.config;
  const loop = await SharedLoop.start({ stream, hop, topology, handler, observer: metrics, log });
  context.metrics.gaugeOf(
    "stampede_rewards_config_messages_held",
    "Configuration messages taken and not yet acknowledged.",
    () => loop.held,
  );
  health.addCheck("nats", () => stream.check());
  health.addCheck("database", () => database.check());
  const unwatchStreams = await watchStreams({
    stream,
    hop,
    partitions: () => [0],
    metrics: context.metrics,
    log,
  });
  return {
    async stop() {
      database.stop();
      unwatchStreams();
      await loop.stop();
      await stream.close();
      await closeStore(store);
    },
  };
}
