import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { assertLimits, LIMITS } from "#contract";
import { Health, showReadiness } from "./health.ts";
import { createLog, type Log } from "./log.ts";
import { createRegistry, MetricFactory, type Registry } from "./metrics/metrics.ts";
import { OpsEndpoints, serveOps } from "./ops.ts";
import { Progress, showProgress } from "./progress.ts";
import { SecretBox } from "./secret-box.ts";
import { describeSettings, readSettings, SettingsError } from "./settings/read-settings.ts";
import type { Settings } from "./settings/settings.ts";
import { explainListenError, StartError } from "./start-error.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { wantedExporter } from "./tracing/tracing-environment.ts";
import { Waiting } from "./waiting.ts";

/**
 * The flags of Node for a service: the all-in-one, the image, the systemd units and the benchmarks give them.
 *
 * Requests, messages and batches become garbage soon after they came, so a larger young generation collects
 * less often and still copies as little. Node 24 lets it grow to several times of what Node 20 does, and all
 * of it stays resident: with 8 MiB for each half, full load takes 235 MiB of an edge instead of 355, and 298
 * of an ingest process instead of 421, at the same speed.
 */
export const SERVICE_NODE_FLAGS: readonly string[] = ["--enable-source-maps", "--max-semi-space-size=8"];

interface Started {
  readonly service: RunningService;
  readonly stopOps: () => Promise<void>;
}

/** The context of a service. */
export interface ServiceContext {
  readonly settings: Settings;
  readonly log: Log;
  readonly health: Health;
  /** The state of its hops; the loops of `packages/nats` report here. */
  readonly progress: Progress;
  readonly registry: Registry;
  readonly metrics: MetricFactory;
  /** Waits for servers that are away, if the service cannot start without them. */
  readonly waiting: Waiting;
  /** Absent if the environment asks for no traces: then no tracing code runs. */
  readonly tracing?: Tracing | undefined;
}

/** A service that has started. */
export interface RunningService {
  /** The address of its API, if it has one. */
  readonly url?: string;
  /** Finishes open work, takes no new work, closes its connections. Called once. */
  stop(): Promise<void>;
}

/** Messages between a service and the all-in-one that forked it. */
export type ToParent =
  | { kind: "ready"; url?: string }
  /** The service cannot start yet. Sent at first, when the reason changes, and about every half minute. */
  | { kind: "waiting"; what: string; reason: string }
  | { kind: "ops-answer"; id: number; status: number; contentType: string; body: string };
export type ToChild = { kind: "ops"; id: number; path: string; accept?: string | undefined };

/** Exit code: a server went away in the middle of the start; try again (EX_TEMPFAIL of sysexits.h). */
export const AWAY_EXIT_CODE = 75;
/** Time to send the last spans, if the drain has that much left. */
const FLUSH_TRACES_MS = 3_000;
/** Time of a drain that is reserved for the work after the last spans. */
const LAST_MS = 500;

const VERSION = (
  JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;

/**
 * Runs one service as this process: settings, log, metrics, operations endpoints, then the service. Then it
 * waits for SIGTERM, SIGINT or the end of the parent that forked it, drains and exits with 0. A process that
 * cannot start prints one line to stderr and exits with 1. A forked service answers operations requests over
 * IPC and opens no port for them. A process that is told to stop before it has started gives up its start,
 * closes what that opened, and exits with 0 too.
 *
 * Servers that are away are waited for (`ServiceContext.waiting`): meanwhile the process is alive, not ready,
 * and says what it waits for. A server that goes away in the middle of the start ends it with
 * `AWAY_EXIT_CODE`: nothing is wrong with the process.
 */
export async function runService(
  name: string,
  start: (context: ServiceContext) => Promise<RunningService>,
): Promise<void> {
  let waiting: Waiting | undefined;
  try {
    assertLimits();
    const settings = readSettings();
    const log = createLog({ service: name, level: settings.logLevel });
    const registry = createRegistry(name, VERSION);
    const health = new Health();
    // A service adds its checks as it starts: without this one, a service without checks would count as
    // ready.
    let isUp = false;
    const calledOff = new AbortController();
    const here = watchWaits(calledOff.signal, log);
    waiting = here;
    health.addCheck("started", () => ({ ok: isUp, detail: isUp ? "it has started" : describeStart(here) }));
    const tracing = await startTracing(name, VERSION, log);
    const metrics = new MetricFactory(registry);
    showReadiness(metrics, health);
    const progress = new Progress();
    showProgress(metrics, health, progress);
    showKeys(metrics, settings);
    const context = { settings, log, health, progress, registry, metrics, waiting: here, tracing };
    const open = async (): Promise<Started> => {
      const stopOps = await openOps(new OpsEndpoints(health, registry), settings);
      log.info({ settings: describeSettings(settings), version: VERSION }, "starting");
      return { service: await start(context), stopOps };
    };
    const starting = open();
    const isStopping = stopOnSignal(starting, context, () => isUp, calledOff);
    const started = await starting.catch((error) => {
      if (isStopping()) return undefined;
      throw error;
    });
    if (started === undefined || isStopping()) return;
    exitOnFault(log);
    isUp = true;
    const { service } = started;
    process.send?.({
      kind: "ready",
      ...(service.url !== undefined && { url: service.url }),
    } satisfies ToParent);
    log.info({ url: service.url }, "ready");
  } catch (error) {
    const isAway = waiting?.passes(error) === true;
    const why = isAway ? (error as Error).message : describeStartFailure(error);
    process.stderr.write(`stampede ${name}: ${why}\n`);
    process.exit(isAway ? AWAY_EXIT_CODE : 1);
  }
}

/** Shows the encryption keys of this process, by check values (`SecretBox.checkValues`). */
function showKeys(metrics: MetricFactory, { encryptionKeys }: Settings): void {
  if (encryptionKeys === undefined) return;
  const gauge = metrics.gauge(
    "stampede_encryption_key_info",
    "Always 1; the labels are a key's id and a value made with the key. The same id with another value is another key.",
    ["key", "check"],
  );
  for (const [key, check] of new SecretBox(encryptionKeys).checkValues) gauge.set({ key, check }, 1);
}

function watchWaits(signal: AbortSignal, log: Log): Waiting {
  return new Waiting(signal, (what, reason) => {
    log.warn({ waitsFor: what, reason }, "waiting for a server");
    if (process.connected) process.send?.({ kind: "waiting", what, reason } satisfies ToParent);
  });
}

function describeStart({ described }: Waiting): string {
  return described === undefined ? "it is starting" : `it waits for ${described}`;
}

function describeStartFailure(error: unknown): string {
  if (error instanceof StartError || error instanceof SettingsError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function openOps(endpoints: OpsEndpoints, settings: Settings): Promise<() => Promise<void>> {
  if (process.send) {
    process.on("message", async (message: ToChild) => {
      if (message?.kind !== "ops") return;
      const answer = await endpoints.answer(message.path, message.accept);
      // The parent may be gone by now, and needs no answer then.
      if (process.connected) {
        process.send?.({ kind: "ops-answer", id: message.id, ...answer } satisfies ToParent);
      }
    });
    return async () => {};
  }
  const address = { host: settings.opsHost, port: settings.opsPort };
  const server = await serveOps((path, accept) => endpoints.answer(path, accept), address).catch((error) => {
    throw explainListenError(error, "operations endpoints", address.host, address.port, "STAMPEDE_OPS_PORT");
  });
  return () => server.close();
}

/**
 * Waits while the process is not ready but still answers: a load balancer sends requests until its next
 * check. A service without requests need not wait. Connections are kept alive meanwhile: a caller that is
 * asked to use another connection would come back to this very process, and one of those new connections
 * would be on its way when the listening socket closes, and be reset (measured).
 */
async function lookedAway(service: RunningService, delayMs: number): Promise<void> {
  if (service.url !== undefined && delayMs > 0) await delay(delayMs);
}

/** @returns whether the process was told to stop; if so, this function does everything that follows */
function stopOnSignal(
  starting: Promise<Started>,
  { settings, log, health, tracing }: ServiceContext,
  isUp: () => boolean,
  calledOff: AbortController,
): () => boolean {
  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    calledOff.abort(new StartError("called_off", "it was told to stop"));
    health.drain();
    log.info({ reason }, "draining");
    // A process that was never ready gets no requests.
    if (isUp()) await lookedAway((await starting).service, settings.drainDelayMs);
    const endsAt = performance.now() + LIMITS.drainMs;
    // Another process repeats work that is unfinished by then; continuing would end in a SIGKILL.
    setTimeout(() => {
      log.error({ afterMs: LIMITS.drainMs }, "drain did not finish in time");
      log.flush(() => process.exit(1));
    }, LIMITS.drainMs).unref();
    // If the start fails now, there is nothing to stop: everything that it opened ends with the process.
    const started = await starting.catch((error) => {
      log.warn({ err: error }, "told to stop while it could not start");
      return undefined;
    });
    try {
      await started?.service.stop();
      await tracing?.stop(Math.min(FLUSH_TRACES_MS, endsAt - performance.now() - LAST_MS));
      await started?.stopOps();
      log.info("stopped");
      log.flush(() => process.exit(0));
    } catch (error) {
      log.error({ err: error }, "drain failed");
      log.flush(() => process.exit(1));
    }
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  process.on("disconnect", () => void stop("the parent process ended"));
  return () => stopping;
}

/** A fault that was not caught leaves an unknown state: the process ends, and a supervisor restarts it. */
function exitOnFault(log: Log): void {
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught fault");
    log.flush(() => process.exit(70));
  });
}

/**
 * The tracing that the environment asks for. Loads OpenTelemetry only then: without tracing a process loads
 * none of its modules.
 * @throws StartError
 */
async function startTracing(service: string, version: string, log: Log): Promise<Tracing | undefined> {
  const exporter = wantedExporter(process.env);
  if (exporter === undefined) return undefined;
  const { openTelemetry } = await import("./tracing/open-telemetry.ts");
  return openTelemetry({ service, version, exporter, log, env: process.env });
}
