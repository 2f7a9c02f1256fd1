import {
  DATABASE_CONNECTIONS,
  LIMITS,
  openApiDocument,
  PLATFORM_API,
  PLATFORM_PREFIX,
  PLATFORM_ROUTES,
} from "#contract";
import { isTokenSecret } from "#domain";
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
import { assertPlatformSchema, readPlatformCursorKey } from "#platform-store";
import {
  explainListenError,
  type RunningService,
  requirePlatformServers,
  type ServiceContext,
} from "#runtime";
import {
  awaitSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  explainDatabaseFault,
  watchDatabase,
} from "#store";
import { authenticate } from "./authenticate.ts";
import type { PlatformCaller } from "./caller.ts";
import { dealEndpoints } from "./endpoints/deals.ts";
import { paymentEndpoints } from "./endpoints/payments.ts";
import { programEndpoints } from "./endpoints/programs.ts";
import { retailerEndpoints } from "./endpoints/retailers.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { createLinkMetrics } from "./link-metrics.ts";
import { startMatching } from "./matching.ts";
import { ConfigurationPublisher } from "./publish-configuration.ts";

/**
 * Wires the reference platform: its API in front; records from ingest come in and outcomes go out through the stream;
 * programs and deals go to the publishers.
 */
export async function startPlatform(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const { databaseUrl, natsUrl } = requirePlatformServers(settings);
  const stream = await connectService(context, natsUrl, "platform");
  const topology = topologyOf(settings);
  await ensureTopology(stream, topology, "platform");
  const store = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.platform.api + DATABASE_CONNECTIONS.platform.matching,
    applicationName: "stampede-platform",
    observer: createDatabaseMetrics(context.metrics).pool("main"),
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  await awaitSchema(context, store, assertPlatformSchema);
  const cursors = new CursorKey(await readPlatformCursorKey(store));
  const database = await watchDatabase(store, context.metrics, log);
  const nats = await watchNats(stream, context);
  const metrics = createLinkMetrics(context.metrics);
  const publisher = new ConfigurationPublisher({
    store,
    stream,
    topology,
    metrics,
    tracing: context.tracing,
    log,
  });
  const matching = await startMatching({
    store,
    stream,
    topology,
    metrics: context.metrics,
    log,
    tracing: context.tracing,
  });
  const pages = await referencePages(openApiDocument(PLATFORM_API), PLATFORM_API.title);
  const keys = new IdempotencyKeys(store);
  const access = { store, cursors, keys, onChange: (traceparent?: string) => publisher.kick(traceparent) };
  const onFault = (error: unknown, traceId: string) => log.error({ err: error, traceId }, "request failed");
  const api = createApi<PlatformCaller>({
    prefix: PLATFORM_PREFIX,
    pages,
    endpoints: [
      ...programEndpoints(access),
      ...dealEndpoints(access),
      ...retailerEndpoints(access),
      ...paymentEndpoints(store, matching),
    ],
    looksRight: isTokenSecret,
    authenticate: (token) => authenticate(store, token),
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
    wantedHeaders: API_HEADERS,
    onFault,
    onNotice: (notice) => log.warn(notice),
  });
  const routes = Object.keys(PLATFORM_ROUTES);
  const requests = createRequestMetrics(context.metrics, routes, () => server.stats());
  const { platformHost: host, platformPort } = settings;
  const port = await server.start({ host, port: platformPort }).catch((error) => {
    throw explainListenError(error, "reference platform", host, platformPort, "STAMPEDE_PLATFORM_PORT");
  });
  health.addCheck("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  health.addCheck("http", () => ({ ok: true, detail: `${server.adapter} on ${host}:${port}` }));
  await stream.assertPermitted();
  return {
    url: httpOrigin(host, port),
    async stop() {
      // Requests first: they need matching and the publisher for their answers.
      await server.close(LIMITS.requestDrainMs);
      database.stop();
      nats.stop();
      await Promise.all([matching.stop(), publisher.stop()]);
      await stream.close();
      await closeStore(store);
    },
  };
}

function describeCaller(caller: PlatformCaller | undefined) {
  if (caller === undefined) return {};
  return caller.kind === "platform" ? { token: caller.tokenId } : { retailer: caller.retailerId };
}
