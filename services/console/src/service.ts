import { DATABASE_CONNECTIONS, LIMITS } from "#contract";
import { countRequests, createHttpServer, describeRequest, type HttpServer } from "#http";
import { connectService, type Stream, watchNats } from "#nats";
import {
  awaitSchema,
  closeStore,
  connectStore,
  createDatabaseMetrics,
  explainDatabaseFault,
  type Store,
  watchDatabase,
} from "#postgres";
import { assertPublisherSchema, makeConsoleLink } from "#publisher-db";
import {
  assertConsoleAccess,
  Cleanup,
  explainListenError,
  type Log,
  type RunningService,
  repeat,
  requireServers,
  type ServiceContext,
} from "#runtime";
import { Audit, auditEndpoint } from "./audit.ts";
import { type Callers, createCallers } from "./callers.ts";
import { CONSOLE_HEADERS, ConsoleApi } from "./console-api.ts";
import { deadLetterEndpoints } from "./dead-letters/endpoints.ts";
import type { ConsoleEndpoint } from "./endpoint.ts";
import { explainEndpoint } from "./explain.ts";
import { Apis, forwardingEndpoints } from "./forward.ts";
import { LIVE_ROUTE, LiveSampler, liveEndpoint } from "./live/live-sampler.ts";
import { StreamReader } from "./live/stream-reader.ts";
import { OrganisationTokens } from "./organisation-tokens.ts";
import { ownPayments } from "./payments.ts";
import { doorEndpoints, entranceEndpoints, sessionEndpoint } from "./session-endpoints.ts";
import { sweepSessions } from "./sessions.ts";
import { loadStaticFiles, PAGE_LABEL } from "./static-files.ts";

const SWEEP_MS = 10 * 60_000;

/** Wires the console: the page, and its API, which passes most requests on to the two public APIs. */
export async function startConsole(context: ServiceContext): Promise<RunningService> {
  const { settings, log, health } = context;
  const cleanup = new Cleanup();
  assertConsoleAccess(settings);
  const { store, stream } = await openServers(context, cleanup);
  const tokens = await OrganisationTokens.load(store, settings.consoleTokens ?? [], log);
  if (tokens.isEmpty) log.warn("STAMPEDE_CONSOLE_TOKENS has no valid token: there is nothing to show");
  const callers = createCallers(settings, { sql: store, tokens, log });
  const apis = new Apis(settings, tokens);
  const endpoints: ConsoleEndpoint[] = [
    sessionEndpoint({ callers, tokens, hasPlatform: apis.hasPlatform }),
    ...(callers.byLink ? entranceEndpoints(store) : []),
    auditEndpoint(store),
    explainEndpoint(apis),
    ...forwardingEndpoints(apis, ownPayments(apis)),
    ...(await consoleParts(context, stream, cleanup)),
  ];
  const server = await serve(context, { store, tokens, callers, endpoints });
  cleanup.defer(() => server.close(LIMITS.requestDrainMs));
  cleanup.defer(startSweep(store, log).stop);
  health.addCheck("http", () => ({ ok: true, detail: `${server.adapter} on ${server.url}` }));
  await stream.assertPermitted();
  if (callers.byLink) await greet(store, server.url);
  return { url: server.url, stop: () => cleanup.close() };
}

/** Prints a link if this process was started in a terminal; a log gets none. */
async function greet(store: Store, url: string): Promise<void> {
  if (!process.stderr.isTTY || process.send !== undefined) return;
  const link = await makeConsoleLink(store, url, { user: "terminal", role: "administrator" });
  process.stderr.write(`The console (the link works once, within an hour): ${link}\n`);
}

/** The endpoints of the live page and of dead letters. */
async function consoleParts(
  context: ServiceContext,
  stream: Stream,
  cleanup: Cleanup,
): Promise<ConsoleEndpoint[]> {
  const operator = await openOperator(context, cleanup);
  return [
    liveEndpoint(startLive(context, stream, cleanup)),
    ...deadLetterEndpoints({ reader: stream, operator }),
  ];
}

/** The connection that changes dead letters, if the console was given one: its own user may only read. */
async function openOperator(context: ServiceContext, cleanup: Cleanup): Promise<Stream | undefined> {
  const { consoleOperatorNatsUrl: url } = context.settings;
  if (url === undefined) return undefined;
  const stream = await connectService(context, url, "operator");
  cleanup.defer(() => stream.close());
  return stream;
}

function startLive(
  { settings, metrics, log }: ServiceContext,
  stream: Stream,
  cleanup: Cleanup,
): LiveSampler {
  const reader = new StreamReader(stream);
  const urls = settings.consoleOpsUrls;
  const sampler = new LiveSampler({ urls, readStreams: () => reader.read(), metrics, log });
  sampler.start();
  cleanup.defer(() => sampler.stop());
  return sampler;
}

/** Connects to PostgreSQL and NATS, and adds their health checks. */
async function openServers(context: ServiceContext, cleanup: Cleanup) {
  const { settings, log, health, metrics } = context;
  const { databaseUrl, natsUrl } = requireServers(settings);
  const store = connectStore({
    url: databaseUrl,
    max: DATABASE_CONNECTIONS.console.requests,
    applicationName: "stampede-console",
    observer: createDatabaseMetrics(metrics).pool("requests"),
    statementTimeoutMs: LIMITS.statementTimeoutMs,
  });
  cleanup.defer(() => closeStore(store));
  const stream = await connectService(context, natsUrl, "console");
  cleanup.defer(() => stream.close());
  await awaitSchema(context, store, assertPublisherSchema);
  const database = await watchDatabase(store, metrics, log);
  cleanup.defer(() => database.stop());
  const nats = await watchNats(stream, context);
  cleanup.defer(() => nats.stop());
  // Without NATS only the live page and dead letters are missing.
  health.addShown("nats", () => nats.check());
  health.addCheck("database", () => database.check());
  return { store, stream };
}

interface ServedParts {
  readonly store: Store;
  readonly tokens: OrganisationTokens;
  readonly callers: Callers;
  readonly endpoints: readonly ConsoleEndpoint[];
}

async function serve(
  { settings, log, metrics }: ServiceContext,
  { store, tokens, callers, endpoints }: ServedParts,
): Promise<HttpServer & { readonly url: string }> {
  const { consoleHost: host, consolePort, consoleBasePath: base, consoleOrigin: origin } = settings;
  const door = callers.byLink ? doorEndpoints(store, settings) : [];
  const onFault = (error: unknown, traceId: string) => log.error({ err: error, traceId }, "request failed");
  const api = new ConsoleApi({
    base,
    pages: await loadStaticFiles(base),
    endpoints,
    door,
    callers,
    tokens,
    audit: new Audit(store, log),
    origin,
    observe: (record) => {
      count(record);
      // Each open page asks once a second; the metrics count these requests.
      if (record.route === LIVE_ROUTE && record.code === "ok") return;
      const { user, role } = record.caller ?? {};
      log.info({ ...describeRequest(record), user, role }, "request");
    },
    explainFault: explainDatabaseFault,
    onFault,
  });
  const server = createHttpServer({
    api,
    adapter: "node",
    wantedHeaders: [...new Set([...CONSOLE_HEADERS, ...callers.headers])],
    limits: { bodyBytes: LIMITS.consoleBodyBytes },
    onFault,
    onNotice: (notice) => log.warn(notice),
  });
  const count = countRequests(
    metrics,
    [PAGE_LABEL, ...[...endpoints, ...door].map(({ route }) => route)],
    () => server.stats(),
  );
  const port = await server.start({ host, port: consolePort }).catch((error) => {
    throw explainListenError(error, "console", host, consolePort, "STAMPEDE_CONSOLE_PORT");
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}${base}`;
  return Object.assign(server, { url });
}

function startSweep(store: Store, log: Log) {
  const work = () => sweepSessions(store);
  return repeat({ name: "console sweep", everyMs: SWEEP_MS, work, failed: "sweep failed", log });
}
