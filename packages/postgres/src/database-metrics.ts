import type { MetricFactory } from "#runtime";
import { classifyDatabaseError, type DatabaseErrorMeaning } from "./database-errors.ts";
import type { StoreObserver } from "./store.ts";

/** Few, for many operations: a look-up, a small write, a batch, a wait for a lock, the statement timeout. */
const STATEMENT_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
const WAIT_BUCKETS_SECONDS = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

const ERROR_CLASSES: readonly DatabaseErrorMeaning[] = ["retry", "unavailable", "refused", "bug"];

/** The metrics of one process's connections to the database. */
export function createDatabaseMetrics(metrics: MetricFactory) {
  const statements = metrics.tracedHistogram(
    "stampede_database_statement_duration_seconds",
    "Time from sending a statement to its answer, by operation and table.",
    STATEMENT_BUCKETS_SECONDS,
    ["operation"],
  );
  const errors = metrics.counter(
    "stampede_database_errors_total",
    "Statements that failed, by class: retry, unavailable, refused (by a constraint) or bug.",
    ["class"],
  );
  for (const meaning of ERROR_CLASSES) errors.inc({ class: meaning }, 0);
  const { waits, watch } = createPoolMetrics(metrics);
  return {
    /** For `connectStore`. `name` distinguishes the pools of one process. */
    pool: (name: string): StoreObserver => {
      const labels = { pool: name };
      waits.zero(labels);
      return {
        opened: (waiting) => watch(name, waiting),
        waited: (seconds) => waits.observe(labels, seconds),
        settled: (operation, seconds, error) => {
          statements.observe({ operation }, seconds);
          if (error !== undefined) errors.inc({ class: classifyDatabaseError(error) });
        },
      };
    },
  };
}

function createPoolMetrics(metrics: MetricFactory) {
  const pools = new Map<string, () => number>();
  const waits = metrics.tracedHistogram(
    "stampede_database_pool_wait_duration_seconds",
    "Time that work waited for a connection of its pool.",
    WAIT_BUCKETS_SECONDS,
    ["pool"],
  );
  const waiting = metrics.gauge(
    "stampede_database_pool_waiting",
    "Callers that wait for a connection of their pool.",
    ["pool"],
    () => {
      for (const [pool, count] of pools) waiting.set({ pool }, count());
    },
  );
  return { waits, watch: (name: string, count: () => number) => void pools.set(name, count) };
}
