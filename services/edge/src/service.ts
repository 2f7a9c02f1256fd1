import {
  DATABASE_CONNECTIONS,
  LIMITS,
  openApiDocument,
  PUBLISHER_API,
  PUBLISHER_PREFIX,
  ROUTES,
} from "#contract";
import { isTokenSecret, targetPolicy, trustedProxies } from "#domain";
import {
  API_HEADERS,
  CursorKey,
  createApi,
  createHttpServer,
  createRequestMetrics,
  describeRequest,
  httpOrigin,
  referencePages,
} from "#http";
import { connectService, ensureTopology, topologyOf, watchNats } from "#nats";
import {
  type CheckResult,
  explainListenError,
  type RunningService,
  requireEncryptionKeys,
  requireServers,
  type ServiceContext,
} from "#runtime";
import {
  awaitSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  explainDatabaseFault,
  readCursorKey,
  watchDatabase,
} from "#store";
import { Authenticator } from "./authenticate.ts";
import { BatchIds } from "./batch-ids.ts";
import type { Caller } from "./caller.ts";
import { apiTokenEndpoints } from "./endpoints/api-tokens.ts";
import { dealEndpoints } from "./endpoints/deals.ts";
import { memberbaseEndpoints } from "./endpoints/memberbases.ts";
import { memberEndpoints } from "./endpoints/members.ts";
import { programEndpoints } from "./endpoints/programs.ts";
import { transactionEndpoints } from "./endpoints/transactions.ts";
import { walletEndpoints } from "./endpoints/wallet.ts";
import { webhookDeliveryEndpoints } from "./endpoints/webhook-deliveries.ts";
import { webhookEndpoints } from "./endpoints/webhooks.ts";
import { FailedTokens } from "./failed-tokens.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { IngestGateway } from "./ingest-gateway.ts";
import { createEdgeMetrics } from "./metrics.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { Revocations } from "./revocations.ts";
import { WebhookTests } from "./webhook-tests.ts";

/** Wires the edge: HTTP in front, small reads and writes straight to Postgres, transactions to the stream. */
export async function startEdge(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const secrets = requireEncryptionKeys(settings);
  const { databaseUrl, natsUrl } = requireServers(settings);
  const stream = await connectService(context, natsUrl, "edge");
  await ensureTopology(stream, topologyOf(settings), "edge");
  const databases = createDatabaseMetrics(context.metrics);
  const store = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.edge.requests,
    applicationName: "stampede-edge",
    observer: databases.pool("requests"),
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  await awaitSchema(context, store);
  const secret = await readCursorKey(store);
  const cursors = new CursorKey(secret);
  const database = await watchDatabase(store, context.metrics, log);
  const { now } = database;
  const nats = await watchNats(stream, context);
  const metrics = createEdgeMetrics(context.metrics);
  const batchIds = new BatchIds(secret, now);
  const gateway = new IngestGateway({
    stream,
    partitions: settings.partitions,
    metrics,
    log,
    batchIds,
    tracing: context.tracing,
  });
  const memberStore = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.edge.member,
    applicationName: "stampede-edge-member",
    observer: databases.pool("member"),
  });
  const revocations = new Revocations({ stream, memberStore, log, forget: () => authenticator.forgetAll() });
  const authenticator = new Authenticator({ store, log, mayTrust: () => revocations.mayTrust(), now });
  // The pages are compressed while the other edge processes are waited for.
  const reference = referencePages(openApiDocument(PUBLISHER_API), PUBLISHER_API.title);
  const [pages] = await Promise.all([reference, revocations.start()]);
  const { authFailuresPerMinute: perMinute, clientAddressHeader } = settings;
  const failures =
    perMinute > 0
      ? new FailedTokens({
          perMinute,
          proxies: trustedProxies(settings.trustedProxies),
          header: clientAddressHeader,
          knows: (token) => authenticator.knows(token),
          observe: () => metrics.addressSlowed(),
        })
      : undefined;
  const idempotencyKeys = new IdempotencyKeys(store, secrets);
  const targets = targetPolicy(settings.webhookAllowHttp, settings.webhookAllowCidrs);
  const rateLimiter = createRateLimiter(settings.rateLimit, settings.rateLimitBurst);
  const onFault = (error: unknown, traceId: string) => log.error({ err: error, traceId }, "request failed");
  const api = createApi({
    prefix: PUBLISHER_PREFIX,
    pages,
    endpoints: [
      ...apiTokenEndpoints(store, cursors, idempotencyKeys, () => revocations.announce(), now),
      ...memberbaseEndpoints(store, cursors, idempotencyKeys),
      ...memberEndpoints(store, cursors),
      ...programEndpoints(store, cursors),
      ...dealEndpoints(store, cursors),
      ...walletEndpoints(store, cursors, idempotencyKeys),
      ...webhookEndpoints({ store, cursors, keys: idempotencyKeys, secrets, targets }),
      ...webhookDeliveryEndpoints(store, cursors, new WebhookTests(stream)),
      ...transactionEndpoints({ store, gateway, cursors, batchIds }),
    ],
    looksRight: isTokenSecret,
    authenticate: (token) => authenticator.authenticate(token),
    failures,
    limitRate: rateLimiter && ((caller) => rateLimiter.take(caller)),
    observe: (record) => {
      requests.request(record);
      log.info({ ...describeRequest(record), ...describeCaller(record.caller) }, "request");
    },
    tracing: context.tracing,
    explainFault: explainDatabaseFault,
    onFault,
  });
  const server = await createHttpServer({
    api,
    adapter: settings.httpAdapter,
    wantedHeaders: [...new Set([...API_HEADERS, clientAddressHeader])],
    onFault,
    onNotice: (notice) => log.warn(notice),
  });
  const requests = createRequestMetrics(context.metrics, Object.keys(ROUTES), () => server.stats());
  const { httpHost, httpPort } = settings;
  const port = await server.start({ host: httpHost, port: httpPort }).catch((error) => {
    throw explainListenError(error, "publisher API", httpHost, httpPort, "STAMPEDE_HTTP_PORT");
  });
  // Without NATS reads are answered all the same, without PostgreSQL transactions are taken and answered 202. All edges lose
  // them together, and if each were not ready, a load balancer would have nobody left to send that to.
  health.addShown("nats", () => nats.check());
  health.addShown("database", () => database.check());
  health.addCheck("servers", () => anyOf(nats.check(), database.check()));
  health.addCheck("http", () => ({ ok: true, detail: `${server.adapter} on ${httpHost}:${port}` }));
  context.metrics.gaugeOf(
    "stampede_edge_unanswered_events",
    "Events whose request waits for its answer.",
    () => gateway.unansweredEvents,
  );
  context.metrics.gaugeOf(
    "stampede_edge_publishes_in_flight",
    "Messages without the stream's word.",
    () => gateway.publishesInFlight,
  );
  await stream.assertPermitted();
  return {
    url: httpOrigin(httpHost, port),
    async stop() {
      // Answers first: what was published keeps being reported until the last request has its outcome.
      await server.close(LIMITS.requestDrainMs);
      gateway.close();
      database.stop();
      nats.stop();
      revocations.stop();
      await authenticator.stop();
      await stream.close();
      await Promise.all([closeStore(store), closeStore(memberStore)]);
    },
  };
}

/** Who reaches neither can do nothing for anybody. */
function anyOf(nats: CheckResult, database: CheckResult): CheckResult {
  if (nats.ok && database.ok) return { ok: true, detail: "NATS and the database" };
  if (nats.ok) return { ok: true, detail: "NATS alone: transactions are answered 202, reads 503" };
  if (database.ok) return { ok: true, detail: "the database alone: reads are answered, transactions 503" };
  return { ok: false, detail: "neither NATS nor the database" };
}

function describeCaller(caller: Caller | undefined) {
  return { organisation: caller?.organisationId, token: caller?.tokenId };
}
