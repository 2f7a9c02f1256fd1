import {
  type CheckResult,
  type Log,
  type MetricFactory,
  natsVersionWarning,
  type Settings,
  startSampler,
} from "#runtime";
import type { Stream } from "./connect.ts";

/** 15 s are enough: the mode changes only with a restart of the server. */
const INTERVAL_MS = 15_000;
/** For its health, which is read only while a hop is slow. */
const HEALTH_INTERVAL_MS = 2_000;

const UNSYNCED =
  "it does not sync every write (set `sync_interval: always`): a power loss may lose acknowledged messages";

interface NatsWatch {
  /** For readiness. A server that is weaker than promised adds a warning to the detail, and is no failure. */
  check(): CheckResult;
  stop(): void;
}

/**
 * Shows the connection to NATS and the server's fsync mode, in metrics and, with its version, for the
 * readiness check. The mode is read from the monitoring ports in the background, because the protocol does
 * not have it. Nor does the protocol say why messages are not stored: while a hop is slow, the servers are
 * asked for their health.
 * @param context the service's; without monitoring ports in its settings the mode stays unknown
 */
export async function watchNats(
  stream: Stream,
  context: { settings: Pick<Settings, "natsMonitorUrls">; metrics: MetricFactory; log: Log },
): Promise<NatsWatch> {
  const { metrics, log } = context;
  const monitorUrls = context.settings.natsMonitorUrls;
  const endConnection = watchConnection(stream, metrics);
  const showMode = syncModeGauge(metrics);
  const reports = new Map<string, ServerReport>();
  const silent = new Set<string>();
  const modeOf = () => weakestOf(monitorUrls.map((url) => reports.get(url)?.syncMode ?? "unknown"));
  const look = async (url: string) => {
    try {
      reports.set(url, await readServerReport(url));
      silent.delete(url);
    } catch (error) {
      // Its last report still counts: a server that is down stores nothing. Logged once, not at every sample.
      if (!silent.has(url)) log.warn({ err: error, url }, "the monitoring port of NATS does not answer");
      silent.add(url);
    }
  };
  const sample = async () => {
    await Promise.all(monitorUrls.map(look));
    showMode(modeOf());
  };
  const stopSampling = await startSampler({ name: "nats", intervalMs: INTERVAL_MS, sample, log });
  const { progress } = stream;
  const askHealth = async () => {
    progress.natsComplaint = progress.isSlow ? await firstComplaint(monitorUrls) : undefined;
  };
  const stopAsking = await startSampler({
    name: "nats health",
    intervalMs: HEALTH_INTERVAL_MS,
    sample: askHealth,
    log,
  });
  return {
    check: () => describe(stream, modeOf(), monitorUrls.length > 0, [...reports.values()]),
    stop: () => {
      endConnection();
      stopSampling();
      stopAsking();
    },
  };
}

function watchConnection(stream: Stream, metrics: MetricFactory): () => void {
  metrics.gaugeOf("stampede_nats_connected", "Whether the connection to NATS is up.", () =>
    stream.connected() ? 1 : 0,
  );
  const reconnects = metrics.counter(
    "stampede_nats_reconnects_total",
    "Reconnects after a broken connection.",
  );
  return stream.onConnection((connected) => {
    if (connected) reconnects.inc();
  });
}

function syncModeGauge(metrics: MetricFactory): (mode: SyncMode) => void {
  const gauge = metrics.gauge(
    "stampede_nats_sync_mode",
    "1 for the fsync mode of the NATS servers, 0 for the others. If servers differ, the weakest mode counts.",
    ["mode"],
  );
  return (now) => {
    for (const mode of SYNC_MODES) gauge.set({ mode }, mode === now ? 1 : 0);
  };
}

function describe(
  stream: Stream,
  mode: SyncMode,
  isAsked: boolean,
  reports: readonly ServerReport[],
): CheckResult {
  const { ok, detail } = stream.check();
  const versions = new Set([versionOf(stream), ...reports.map(({ version }) => version)]);
  const warnings = [...versions].map(natsVersionWarning).filter((warning) => warning !== undefined);
  if (mode === "interval") warnings.push(UNSYNCED);
  const warning = warnings.length === 0 ? "" : `; warning: ${warnings.join("; ")}`;
  return { ok, detail: `${detail}${isAsked ? `; fsync mode: ${mode}` : ""}${warning}` };
}

function versionOf(stream: Stream): string {
  return stream.nats.info?.version ?? "unknown";
}

/** When a NATS server syncs to disk: before every acknowledgement (always), or now and then (interval). */
const SYNC_MODES = ["always", "interval", "unknown"] as const;
type SyncMode = (typeof SYNC_MODES)[number];

/** A NATS server's report on its monitoring port. */
export interface ServerReport {
  readonly version: string;
  readonly syncMode: SyncMode;
}

const ANSWER_MS = 2_000;

interface Varz {
  readonly version?: string;
  readonly jetstream?: { readonly config?: { readonly sync_always?: boolean } };
}

/**
 * Asks a server for its version and fsync mode.
 *
 * Read in the sources of nats-server v2.9.25, v2.10.0, v2.10.29, v2.11.0, v2.12.0 and v2.14.0, and tried with
 * 2.14.0: `/varz` (`jetstream.config`) and `/jsz` (`config`) show the same `JetStreamConfig`. `sync_interval:
 * always` makes it `"sync_always": true`, while `sync_interval` stays at its default of 120000000000 ns: so
 * the interval alone says nothing. With any interval `sync_always` is absent (`omitempty`), as it is before
 * 2.10, which only knows the interval. So a configuration without it means `interval`. Without JetStream
 * there is no `config`.
 * @param url of the monitoring port
 * @throws if it does not answer like a NATS server
 */
export async function readServerReport(url: string): Promise<ServerReport> {
  const response = await fetch(new URL("varz", url.endsWith("/") ? url : `${url}/`), {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { version, jetstream } = (await response.json()) as Varz;
  if (version === undefined) throw new Error(`${url} is no monitoring port of NATS`);
  const config = jetstream?.config;
  if (config === undefined) return { version, syncMode: "unknown" };
  return { version, syncMode: config.sync_always === true ? "always" : "interval" };
}

/**
 * The complaint of the first unhealthy server. A server that does not answer has none: the connection shows
 * that.
 */
async function firstComplaint(monitorUrls: readonly string[]): Promise<string | undefined> {
  const complaints = await Promise.all(monitorUrls.map((url) => readComplaint(url).catch(() => undefined)));
  return complaints.find((complaint) => complaint !== undefined);
}

/** `/healthz` of an unhealthy server is 503 with `{"status":"unavailable","error":"…"}`. */
async function readComplaint(url: string): Promise<string | undefined> {
  const response = await fetch(new URL("healthz", url.endsWith("/") ? url : `${url}/`), {
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { error } = (await response.json()) as { error?: unknown };
  return !response.ok && typeof error === "string" ? error : undefined;
}

/**
 * The mode of several servers together: one that syncs from time to time is enough to lose messages, and one
 * whose mode is unknown may be such a server.
 */
export function weakestOf(modes: readonly SyncMode[]): SyncMode {
  if (modes.includes("interval")) return "interval";
  return modes.length === 0 || modes.includes("unknown") ? "unknown" : "always";
}
