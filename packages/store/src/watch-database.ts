import { type CheckResult, type Log, type MetricFactory, startSampler } from "#runtime";
import type { Store } from "./connect.ts";

const INTERVAL_MS = 2_000;

/**
 * Looks at the database every two seconds, for the readiness check and the metrics `stampede_database_up` and
 * `stampede_database_ping_seconds`.
 */
export async function watchDatabase(
  store: Store,
  metrics: MetricFactory,
  log: Log,
): Promise<{ check(): CheckResult; stop(): void }> {
  const up = metrics.gauge("stampede_database_up", "Whether the last look at the database succeeded.");
  const ping = metrics.gauge(
    "stampede_database_ping_seconds",
    "Round trip of the last look at the database.",
  );
  let state: CheckResult = { ok: false, detail: "not looked at yet" };
  const sample = async () => {
    const started = performance.now();
    try {
      const [row] = await store<{ version: string }[]>`select current_setting('server_version') as version`;
      const seconds = (performance.now() - started) / 1000;
      up.set(1);
      ping.set(seconds);
      state = { ok: true, detail: `PostgreSQL ${row?.version}, ${Math.round(seconds * 1000)} ms` };
    } catch (error) {
      up.set(0);
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
