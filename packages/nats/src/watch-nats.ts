import {
  type CheckResult,
  type Log,
  type MetricFactory,
  natsVersionWarning,
  type Settings,
  startSampler,
} from "#runtime";
import type { Stream } from "./connect.ts";
import { readServerReport, type ServerReport, SYNC_MODES, type SyncMode, weakestOf } from "./sync-mode.ts";

/** The mode changes only with a restart of the server. */
const INTERVAL_MS = 15_000;

const UNSYNCED =
  "it does not sync every write (set `sync_interval: always`): a power loss may lose acknowledged messages";

export interface NatsWatch {
  /** For readiness. A server that is weaker than promised is a warning in the detail, no failure. */
  check(): CheckResult;
  stop(): void;
}

/**
 * Tells Prometheus and the readiness check of the connection to NATS, of the server's version and of its fsync mode. The
 * mode is asked for on the monitoring ports in the background; the protocol does not tell it.
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
      // What it said last stands: a server that is down stores nothing. Said once, not at every look.
      if (!silent.has(url)) log.warn({ err: error, url }, "the monitoring port of NATS does not answer");
      silent.add(url);
    }
  };
  const sample = async () => {
    await Promise.all(monitorUrls.map(look));
    showMode(modeOf());
  };
  const stopSampling = await startSampler({ name: "nats", intervalMs: INTERVAL_MS, sample, log });
  return {
    check: () => describe(stream, modeOf(), monitorUrls.length > 0, [...reports.values()]),
    stop: () => {
      endConnection();
      stopSampling();
    },
  };
}

function watchConnection(stream: Stream, metrics: MetricFactory): () => void {
  metrics.gaugeOf("stampede_nats_connected", "Whether the connection to NATS stands.", () =>
    stream.connected() ? 1 : 0,
  );
  const reconnects = metrics.counter(
    "stampede_nats_reconnects_total",
    "Times that a connection which broke came back.",
  );
  const info = metrics.gauge(
    "stampede_nats_info",
    "Always 1; the label is the version of the NATS server that this process is connected to.",
    ["version"],
  );
  const showVersion = () => {
    info.reset();
    info.set({ version: versionOf(stream) }, 1);
  };
  showVersion();
  return stream.onConnection((connected) => {
    if (!connected) return;
    reconnects.inc();
    showVersion();
  });
}

function syncModeGauge(metrics: MetricFactory): (mode: SyncMode) => void {
  const gauge = metrics.gauge(
    "stampede_nats_sync_mode",
    "1 for the fsync mode of the NATS servers, 0 for the others; of several servers the weakest.",
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
