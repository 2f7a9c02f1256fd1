import type { MetricFactory } from "#runtime";
import {
  classifyDatabaseError,
  type DatabaseErrorMeaning,
  RETRY_REASONS,
  retryReason,
} from "./database-errors.ts";
import type { PoolState, StoreObserver } from "./store.ts";

/** Few, for many operations: a look-up, a small write, a batch, a wait for a lock, the statement timeout. */
const STATEMENT_BUCKETS_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
const WAIT_BUCKETS_SECONDS = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

const ERROR_CLASSES: readonly DatabaseErrorMeaning[] = ["retry", "unavailable", "refused", "bug"];

/** What one process shows Prometheus of its connections to the database. */
export function createDatabaseMetrics(metrics: MetricFactory) {
  const statements = metrics.tracedHistogram(
    "stampede_database_statement_duration_seconds",
    "From sending a statement to its answer, by what it does to which table.",
    STATEMENT_BUCKETS_SECONDS,
    ["operation"],
  );
  const errors = metrics.counter(
    "stampede_database_errors_total",
    "Statements that failed, by what that means: retry, unavailable, refused (by a constraint) or bug.",
    ["class"],
  );
  for (const meaning of ERROR_CLASSES) errors.inc({ class: meaning }, 0);
  const retries = metrics.counter(
    "stampede_database_retries_total",
    "Statements whose work has to be run again though nothing was wrong with it, by reason.",
    ["reason"],
  );
  for (const reason of RETRY_REASONS) retries.inc({ reason }, 0);
  const { waits, watch } = createPoolMetrics(metrics);
  return {
    /** For `connectStore`. `name` tells the pools of one process apart. */
    pool: (name: string): StoreObserver => {
      const labels = { pool: name };
      waits.zero(labels);
      return {
        opened: (state) => watch(name, state),
        waited: (seconds) => waits.observe(labels, seconds),
        settled: (operation, seconds, error) => {
          statements.observe({ operation }, seconds);
          if (error === undefined) return;
          const meaning = classifyDatabaseError(error);
          errors.inc({ class: meaning });
          if (meaning === "retry") retries.inc({ reason: retryReason(error) });
        },
      };
    },
  };
}

function createPoolMetrics(metrics: MetricFactory) {
  const pools = new Map<string, () => PoolState>();
  const waits = metrics.tracedHistogram(
    "stampede_database_pool_wait_duration_seconds",
    "How long work waited for a connection of its pool.",
    WAIT_BUCKETS_SECONDS,
    ["pool"],
  );
  const connections = metrics.gauge(
    "stampede_database_pool_connections",
    "Open connections by pool and state.",
    ["pool", "state"],
    () => {
      for (const [pool, state] of pools) {
        const { inUse, idle } = state();
        connections.set({ pool, state: "in_use" }, inUse);
        connections.set({ pool, state: "idle" }, idle);
      }
    },
  );
  const limits = metrics.gauge(
    "stampede_database_pool_limit_connections",
    "How many connections a pool may open.",
    ["pool"],
    () => {
      for (const [pool, state] of pools) limits.set({ pool }, state().limit);
    },
  );
  const waiting = metrics.gauge(
    "stampede_database_pool_waiting",
    "Callers that wait for a connection of their pool.",
    ["pool"],
    () => {
      for (const [pool, state] of pools) waiting.set({ pool }, state().waiting);
    },
  );
  return { waits, watch: (name: string, state: () => PoolState) => void pools.set(name, state) };
}
