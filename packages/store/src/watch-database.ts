import { type CheckResult, type Log, type MetricFactory, startSampler } from "#runtime";
import type { Store } from "./connect.ts";
import { type DurabilitySettings, weaknessOf } from "./durability.ts";

const INTERVAL_MS = 2_000;

interface Look extends DurabilitySettings {
  readonly version: string;
}

/**
 * Looks at the database every two seconds, for the readiness check and the metrics `stampede_database_up`, `_ping_seconds`,
 * `_info` and `_durable`. A server that may lose what it acknowledged is told of, in the check's words, a metric and the
 * log; it is ready all the same: whoever set it so may have meant it.
 */
export async function watchDatabase(
  store: Store,
  metrics: MetricFactory,
  log: Log,
): Promise<{ check(): CheckResult; stop(): void }> {
  const gauges = createGauges(metrics);
  let state: CheckResult = { ok: false, detail: "not looked at yet" };
  let known: string | undefined;
  const sample = async () => {
    const started = performance.now();
    try {
      const look = await lookAt(store);
      const seconds = (performance.now() - started) / 1000;
      const weakness = weaknessOf(look);
      gauges.up.set(1);
      gauges.ping.set(seconds);
      gauges.info.reset();
      gauges.info.set({ version: look.version }, 1);
      gauges.durable.set(weakness === undefined ? 1 : 0);
      if (weakness !== undefined && weakness !== known) {
        log.warn({ weakness }, "the database may lose what it has acknowledged");
      }
      known = weakness;
      state = { ok: true, detail: describe(look.version, seconds, weakness) };
    } catch (error) {
      gauges.up.set(0);
      state = {
        ok: false,
        detail: `the database does not answer: ${(error as { code?: string }).code ?? "fault"}`,
      };
      throw error;
    }
  };
  const stop = await startSampler({ name: "database", intervalMs: INTERVAL_MS, sample, log });
  return { check: () => state, stop };
}

function createGauges(metrics: MetricFactory) {
  return {
    up: metrics.gauge("stampede_database_up", "Whether the last look at the database succeeded."),
    ping: metrics.gauge("stampede_database_ping_seconds", "Round trip of the last look at the database."),
    info: metrics.gauge("stampede_database_info", "Always 1; the label says what serves the database.", [
      "version",
    ]),
    durable: metrics.gauge(
      "stampede_database_durable",
      "Whether what the database acknowledges survives a crash of its machine, by its settings.",
    ),
  };
}

async function lookAt(store: Store): Promise<Look> {
  const [look] = await store<[Look]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('full_page_writes') as "fullPageWrites"`;
  return look;
}

function describe(version: string, seconds: number, weakness: string | undefined): string {
  const found = `PostgreSQL ${version}, ${Math.round(seconds * 1000)} ms`;
  return weakness === undefined ? found : `${found}; durability is weaker than promised: ${weakness}`;
}
