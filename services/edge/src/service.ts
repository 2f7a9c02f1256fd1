import { DATABASE_CONNECTIONS, LIMITS, PUBLISHER_PREFIX, ROUTES } from "#contract";
import { openApiDocument, PUBLISHER_API } from "#contract/openapi";
import { isTokenSecret, targetPolicy } from "#domain";
import { CursorKey, createFailedTokens, createRedirect, referencePages, serveApi } from "#http";
import { connectService, ensureTopology, type Stream, topologyOf, watchNats } from "#nats";
import {
  awaitSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  explainDatabaseFault,
  type SharedStore,
  type Store,
  watchDatabase,
} from "#postgres";
import { readCursorKey } from "#publisher-db";
import {
  type CheckResult,
  Cleanup,
  type Health,
  type RunningService,
  requireEncryptionKeys,
  requireServers,
  type SecretBox,
  type ServiceContext,
  type Settings,
} from "#runtime";
import { apiTokenEndpoints } from "./auth/api-tokens.ts";
import { Authenticator } from "./auth/authenticate.ts";
import { createRateLimiter } from "./auth/rate-limiter.ts";
import { Revocations } from "./auth/revocations.ts";
import type { Caller, PublisherEndpoint } from "./endpoint.ts";
import { eventEndpoints } from "./events/events.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { BatchIds } from "./ingest/batch-ids.ts";
import { IngestGateway } from "./ingest/ingest-gateway.ts";
import { boundsOf } from "./lists/bounds.ts";
import { memberbaseEndpoints } from "./members/memberbases.ts";
import { memberEndpoints } from "./members/members.ts";
import { createEdgeMetrics, type EdgeMetrics, watchGateway } from "./metrics.ts";
import { dealEndpoints } from "./offers/deals.ts";
import { programEndpoints } from "./offers/programs.ts";
import { idEndpoints } from "./trace/ids.ts";
import { transactionTraceEndpoints } from "./trace/transaction-trace.ts";
import { transactionRejectionEndpoints } from "./transactions/transaction-rejections.ts";
import { transactionEndpoints } from "./transactions/transactions.ts";
import { cashbackEndpoints } from "./wallet/cashbacks.ts";
import { clipEndpoints } from "./wallet/clips.ts";
import { redemptionEndpoints } from "./wallet/redemptions.ts";
import { stampCollectionEndpoints } from "./wallet/stamp-collections.ts";
import { stampEndpoints } from "./wallet/stamps.ts";
import { webhookDeliveryEndpoints } from "./webhook-deliveries/webhook-deliveries.ts";
import { TestEvents } from "./webhooks/ask-webhook-test.ts";
import { webhookEndpoints } from "./webhooks/webhooks.ts";

/** Wires the edge: HTTP in front, small reads and writes straight to Postgres, transactions to the stream. */
export async function startEdge(context: ServiceContext): Promise<RunningService> {
  const { settings, log, tracing } = context;
  const cleanup = new Cleanup();
  const secrets = requireEncryptionKeys(settings);
  const { databaseUrl, natsUrl } = requireServers(settings);
  const { store, memberStore } = connectStores(context, databaseUrl);
  cleanup.defer(() => Promise.all([store, memberStore].map(closeStore)));
  const stream = await connectService(context, natsUrl, "edge");
  cleanup.defer(() => stream.close());
  await ensureTopology(stream, topologyOf(settings), "edge");
  const secret = await awaitSchema(context, store, readCursorKey);
  const database = await watchDatabase(store, context.metrics, log, context.progress);
  cleanup.defer(() => database.stop());
  const { now } = database;
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  const metrics = createEdgeMetrics(context.metrics);
  const batchIds = new BatchIds(secret, now);
  const { partitions } = settings;
  const gateway = new IngestGateway({ stream, partitions, metrics, log, batchIds, tracing });
  cleanup.defer(() => gateway.close());
  watchGateway(context.metrics, gateway);
  const revocations = new Revocations({ stream, memberStore, log, forget: () => authenticator.forgetAll() });
  cleanup.defer(() => revocations.stop());
  // Look-ups of tokens do not queue with any organisation's requests, and a flood of made-up tokens cannot
  // take all connections.
  const tokenStore = store.lineOf("tokens");
  const mayTrust = () => revocations.mayTrust();
  const authenticator = new Authenticator({ store: tokenStore, log, mayTrust, now });
  cleanup.defer(() => authenticator.stop());
  const reference = referencePages(openApiDocument(PUBLISHER_API), PUBLISHER_API.title);
  const [pages] = await Promise.all([reference, revocations.start()]);
  const cursors = new CursorKey(secret);
  const parts = { stream, store, cursors, secrets, gateway, batchIds, revocations, now };
  const { httpHost: host, httpPort: port } = settings;
  const api = await serveApi<Caller>(context, {
    prefix: PUBLISHER_PREFIX,
    // Leads a browser to the documentation.
    pages: new Map([...pages, ["/", createRedirect("docs", settings.consoleUrl ?? "docs")]]),
    routes: Object.keys(ROUTES),
    endpoints: publisherEndpoints(settings, parts),
    looksRight: isTokenSecret,
    authenticate: (token) => authenticator.authenticate(token),
    senderOf: (caller) => caller.organisationId,
    ...callerLimits(settings, metrics),
    describeCaller: (caller) => ({ organisation: caller?.organisationId, token: caller?.tokenId }),
    explainFault: explainDatabaseFault,
    listen: { name: "publisher API", host, port, portSetting: "STAMPEDE_HTTP_PORT" },
  });
  // Closed first: reports on published events must still arrive until the last request has its outcome.
  cleanup.defer(() => api.close(LIMITS.requestDrainMs));
  reportHealth(context.health, { nats, database, api });
  await stream.assertPermitted();
  return { url: api.url, stop: () => cleanup.close() };
}

/** The pool that answers requests, and the one session that registers this process with the other edges. */
function connectStores({ metrics }: ServiceContext, url: string): { store: Store; memberStore: Store } {
  const databases = createDatabaseMetrics(metrics);
  const store = connectStore({
    url,
    max: DATABASE_CONNECTIONS.edge.requests,
    applicationName: "stampede-edge",
    observer: databases.pool("requests"),
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  const memberStore = connectStore({
    url,
    max: DATABASE_CONNECTIONS.edge.member,
    applicationName: "stampede-edge-member",
    observer: databases.pool("member"),
    statementTimeoutMs: LIMITS.locksTimeoutMs,
  });
  return { store, memberStore };
}

interface EndpointParts {
  readonly stream: Stream;
  /** Each endpoint works in the queue of its caller's organisation. */
  readonly store: SharedStore;
  readonly cursors: CursorKey;
  readonly secrets: SecretBox;
  readonly gateway: IngestGateway;
  readonly batchIds: BatchIds;
  readonly revocations: Revocations;
  readonly now: () => Date;
}

function publisherEndpoints(settings: Settings, parts: EndpointParts): PublisherEndpoint[] {
  const { stream, store, cursors, secrets, gateway, batchIds, revocations, now } = parts;
  const keys = new IdempotencyKeys(store, secrets);
  const bounds = boundsOf(settings);
  const targets = targetPolicy(settings.webhookAllowHttp, settings.webhookAllowCidrs);
  return [
    ...apiTokenEndpoints(store, cursors, keys, () => revocations.announce(), now, bounds),
    ...memberbaseEndpoints(store, cursors, keys, bounds),
    ...memberEndpoints(store, cursors),
    ...idEndpoints(store),
    ...programEndpoints(store, cursors),
    ...dealEndpoints(store, cursors),
    ...stampCollectionEndpoints(store, cursors, keys, bounds),
    ...stampEndpoints(store, cursors),
    ...redemptionEndpoints(store, cursors),
    ...clipEndpoints(store, cursors, keys, bounds),
    ...cashbackEndpoints(store, cursors),
    ...webhookEndpoints({ store, cursors, keys, secrets, targets, bounds }),
    ...webhookDeliveryEndpoints(store, cursors, new TestEvents(stream)),
    ...eventEndpoints(store, cursors),
    ...transactionEndpoints({
      store,
      gateway,
      cursors,
      batchIds,
      eventLimiter: createRateLimiter(settings.eventRateLimit, settings.eventRateLimitBurst),
    }),
    ...transactionTraceEndpoints(store, settings.partitions),
    ...transactionRejectionEndpoints(store, cursors),
  ];
}

/** The limits for addresses that send wrong tokens, and for tokens that send too many requests. */
function callerLimits(settings: Settings, metrics: EdgeMetrics) {
  const rateLimiter = createRateLimiter(settings.rateLimit, settings.rateLimitBurst);
  return {
    failures: createFailedTokens(settings, () => metrics.addressSlowed()),
    headers: [settings.clientAddressHeader],
    limitRate: rateLimiter && ((caller: Caller) => rateLimiter.take(caller)),
  };
}

/**
 * Without NATS, reads are still answered; without PostgreSQL, transactions are still accepted with 202. All
 * edges lose a server at the same time: if that made them not ready, a load balancer would have none left for
 * these requests.
 */
function reportHealth(
  health: Health,
  { nats, database, api }: Record<"nats" | "database" | "api", { check(): CheckResult }>,
): void {
  health.addShown("nats", () => nats.check());
  health.addShown("database", () => database.check());
  health.addCheck("servers", () => anyOf(nats.check(), database.check()));
  health.addCheck("http", () => api.check());
}

/** A process that reaches neither server can answer nothing. */
function anyOf(nats: CheckResult, database: CheckResult): CheckResult {
  if (nats.ok && database.ok) return { ok: true, detail: "NATS and the database" };
  if (nats.ok) return { ok: true, detail: "NATS alone: transactions are answered 202, reads 503" };
  if (database.ok) return { ok: true, detail: "the database alone: reads are answered, transactions 503" };
  return { ok: false, detail: "neither NATS nor the database" };
}
