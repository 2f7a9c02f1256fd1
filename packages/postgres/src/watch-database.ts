import { type CheckResult, type Log, type MetricFactory, type Progress, startSampler } from "#runtime";
import type { Store } from "./connect.ts";
import { clockFault, DatabaseClock } from "./database-clock.ts";
import { findLockHolder } from "./inspect-server.ts";

const INTERVAL_MS = 2_000;

/** For this session: `synchronous_commit` may also be set for a role or a database. */
interface DurabilitySettings {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
}

interface Look extends DurabilitySettings {
  readonly version: string;
  /** Milliseconds since 1970, by the database's clock. */
  readonly nowMs: number;
}

interface WatchedDatabase {
  /** For the service's readiness. */
  check(): CheckResult;
  /** The database's time, by `DatabaseClock`. */
  readonly now: () => Date;
  stop(): void;
}

/**
 * Samples the database every two seconds, for the readiness check, for the metrics `stampede_database_up`,
 * `_ping_seconds` and `_durable`, and for its time: `stampede_clock_offset_seconds` is how far this process's
 * clock is off.
 *
 * A server that may lose acknowledged commits is reported by the check's detail, a metric and the log. The
 * process still counts as ready, because the operator may have configured it so. A clock that is off does not
 * make it unready either: deletions, due times, leases and signatures go by the database's time.
 *
 * If a hop of the process is slow (`progress`), it looks for the session that holds the lock that its own
 * sessions wait for.
 */
export async function watchDatabase(
  store: Store,
  metrics: MetricFactory,
  log: Log,
  progress?: Progress,
): Promise<WatchedDatabase> {
  const clock = new DatabaseClock();
  const gauges = createGauges(metrics);
  let state: CheckResult = { ok: false, detail: "not looked at yet" };
  let known: string | undefined;
  let wasOff = false;
  const sample = async () => {
    const started = performance.now();
    try {
      const timed = clock.look();
      const look = await lookAt(store);
      timed(look.nowMs);
      progress?.databaseAnswered();
      if (progress !== undefined) {
        progress.lockHolder = progress.isSlow ? await findLockHolder(store) : undefined;
      }
      const seconds = (performance.now() - started) / 1000;
      const weakness = weaknessOf(look);
      gauges.up.set(1);
      gauges.ping.set(seconds);
      gauges.durable.set(weakness === undefined ? 1 : 0);
      if (weakness !== undefined && weakness !== known) {
        log.warn({ weakness }, "the database may lose what it has acknowledged");
      }
      known = weakness;
      const fault = clockFault(clock.offsetMs);
      gauges.offset.set(clock.offsetMs / 1000);
      // Logged once each time the clock goes wrong; the number of seconds differs at every sample.
      if (fault !== undefined && !wasOff) log.warn({ offsetMs: Math.round(clock.offsetMs) }, fault);
      wasOff = fault !== undefined;
      state = { ok: true, detail: describe(look.version, seconds, weakness, fault) };
    } catch (error) {
      progress?.databaseFailed(error);
      gauges.up.set(0);
      state = {
        ok: false,
        detail: `the database does not answer: ${(error as { code?: string }).code ?? "fault"}`,
      };
      throw error;
    }
  };
  const stop = await startSampler({ name: "database", intervalMs: INTERVAL_MS, sample, log });
  return { check: () => state, now: () => clock.now(), stop };
}

function createGauges(metrics: MetricFactory) {
  return {
    up: metrics.gauge("stampede_database_up", "Whether the last check of the database succeeded."),
    ping: metrics.gauge("stampede_database_ping_seconds", "Round trip of the last check of the database."),
    durable: metrics.gauge(
      "stampede_database_durable",
      "Whether, by the database's settings, commits that it acknowledged survive a crash of its machine.",
    ),
    offset: metrics.gauge(
      "stampede_clock_offset_seconds",
      "Time by which this process's clock is ahead of the database's; below 0 if it is behind.",
    ),
  };
}

async function lookAt(store: Store): Promise<Look> {
  const [look] = await store<[Look]>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('full_page_writes') as "fullPageWrites",
           (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;
  return look;
}

function describe(version: string, seconds: number, weakness?: string, fault?: string): string {
  const found = [`PostgreSQL ${version}, ${Math.round(seconds * 1000)} ms`];
  if (weakness !== undefined) found.push(`durability is weaker than promised: ${weakness}`);
  if (fault !== undefined) found.push(fault);
  return found.join("; ");
}

/**
 * The setting that makes the server lose acknowledged commits, or tear pages, when its machine crashes;
 * undefined if there is none. `synchronous_commit` has more values than on and off, and all except off wait
 * for the local disk.
 */
export function weaknessOf(settings: DurabilitySettings): string | undefined {
  const weak: string[] = [];
  if (settings.fsync !== "on") weak.push("fsync is off");
  if (settings.synchronousCommit === "off") weak.push("synchronous_commit is off");
  if (settings.fullPageWrites !== "on") weak.push("full_page_writes is off");
  return weak.length === 0 ? undefined : weak.join(", ");
}
