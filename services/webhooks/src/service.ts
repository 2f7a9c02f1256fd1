import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { DATABASE_CONNECTIONS, EVENTS_KICK_SUBJECT, LIMITS, WEBHOOK_TEST_SUBJECT } from "#contract";
import { targetPolicy } from "#domain";
import { answerRequests, connectService, onKick, watchNats } from "#nats";
import { awaitSchema, closeStore, connectStore, createDatabaseMetrics, watchDatabase } from "#postgres";
import { assertPublisherSchema } from "#publisher-db";
import {
  Cleanup,
  type RunningService,
  requireEncryptionKeys,
  requireServers,
  type ServiceContext,
} from "#runtime";
import { watchBacklog } from "./backlog.ts";
import { startReplays } from "./deliveries/replay-step.ts";
import { deliveryStore } from "./delivery-store.ts";
import { Dispatcher } from "./dispatcher.ts";
import { createTestHandler } from "./handle-webhook-test.ts";
import { SecretCache } from "./make-attempt.ts";
import { createDispatchMetrics } from "./metrics.ts";
import { createSender } from "./send/sender.ts";
import { startSweep } from "./sweep.ts";

/** How long requests under way may take at the end. The rest of the drain is for recording them and giving webhooks back. */
const GRACE_MS = LIMITS.deliveryDrainMs;

/** Wires the webhooks service, which brings events from the database to the webhooks of their organisations. */
export async function startWebhooks(context: ServiceContext): Promise<RunningService> {
  const { settings, log } = context;
  const cleanup = new Cleanup();
  const box = requireEncryptionKeys(settings);
  const { dispatchStore, store, stream, now } = await openServers(context, cleanup);
  const policy = targetPolicy(settings.webhookAllowHttp, settings.webhookAllowCidrs);
  const sender = createSender({ policy, now });
  const secrets = new SecretCache(box, log);
  const dispatcher = new Dispatcher({
    store: deliveryStore(dispatchStore, randomUUID()),
    sender,
    secrets,
    slots: settings.webhookSlots,
    now,
    random: Math.random,
    observer: createDispatchMetrics(context.metrics),
    tracing: context.tracing,
    progress: context.progress,
    log,
  });
  context.metrics.gaugeOf(
    "stampede_webhooks_in_flight",
    "Webhooks that this process delivers to right now.",
    () => dispatcher.inFlight,
  );
  const handleTest = createTestHandler({ store, sender, secrets, now, tracing: context.tracing, log });
  const endTests = answerRequests(stream, WEBHOOK_TEST_SUBJECT, handleTest);
  cleanup.defer(async () => {
    const tests = endTests();
    const grace = delay(GRACE_MS, undefined, { ref: false });
    await Promise.all([dispatcher.stop(GRACE_MS), Promise.race([tests, grace])]);
    sender.close();
    await tests;
  });
  cleanup.defer(onKick(stream, EVENTS_KICK_SUBJECT, () => dispatcher.kick()));
  cleanup.defer(await watchBacklog(store, context.metrics, log));
  cleanup.defer(startSweep(store, log).stop);
  cleanup.defer(startReplays(store, log).stop);
  await stream.assertPermitted();
  return { stop: () => cleanup.close() };
}

/** Connects to PostgreSQL and NATS, and adds their health checks. */
async function openServers(context: ServiceContext, cleanup: Cleanup) {
  const { settings, log, health, metrics } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const databases = createDatabaseMetrics(metrics);
  const connect = (pool: string, max: number) =>
    connectStore({
      url: databaseUrl,
      max,
      applicationName: "stampede-webhooks",
      observer: databases.pool(pool),
      statementTimeoutMs: LIMITS.statementTimeoutMs,
      // Its statements look up by key. With a new plan each time, taking one delivery would cost twice as
      // much.
      plansByIndex: pool === "dispatch",
    });
  const dispatchStore = connect("dispatch", DATABASE_CONNECTIONS.webhooks.dispatch);
  const store = connect("other", DATABASE_CONNECTIONS.webhooks.other);
  cleanup.defer(() => Promise.all([dispatchStore, store].map(closeStore)));
  const stream = await connectService(context, natsUrl, "webhooks");
  cleanup.defer(() => stream.close());
  await awaitSchema(context, store, assertPublisherSchema);
  const database = await watchDatabase(store, metrics, log, context.progress);
  cleanup.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  return { dispatchStore, store, stream, now: database.now };
}
