import type { Fragment, Sql, Store } from "#postgres";
import { isPending, waitingEvents } from "#publisher-db";
import { type Log, type MetricFactory, startSampler } from "#runtime";

const INTERVAL_MS = 5_000;

/** Measures the backlog of all processes at intervals. @returns a function that ends this */
export async function watchBacklog(store: Store, metrics: MetricFactory, log: Log): Promise<() => void> {
  const show = createBacklogGauges(metrics);
  const unsettled = metrics.gauge(
    "stampede_webhooks_oldest_unsettled_seconds",
    "Age of the oldest event that is held back, because an earlier one may still be committed; 0 without one.",
  );
  return startSampler({
    name: "webhook backlog",
    intervalMs: INTERVAL_MS,
    sample: async () => {
      show(await measureBacklog(store));
      unsettled.set(await unsettledSeconds(store));
    },
    log,
  });
}

function createBacklogGauges(metrics: MetricFactory) {
  const waiting = metrics.gauge(
    "stampede_webhooks_waiting",
    "Enabled webhooks with events to deliver, including those that are being served.",
  );
  const oldest = metrics.gauge(
    "stampede_webhooks_oldest_pending_seconds",
    "Age of the oldest event that an enabled webhook has not got; 0 without one.",
  );
  const disabled = metrics.gauge(
    "stampede_webhooks_disabled",
    "Webhooks that were disabled because they kept failing.",
  );
  const failing = metrics.gauge(
    "stampede_webhooks_failing",
    "Enabled webhooks that failed their last request.",
  );
  return (measured: Backlog) => {
    waiting.set(measured.waiting);
    oldest.set(measured.oldestSeconds);
    disabled.set(measured.disabled);
    failing.set(measured.failing);
  };
}

interface Backlog {
  /** Enabled webhooks with events to deliver, including those in a turn. */
  readonly waiting: number;
  /**
   * The age of the oldest event that one of them has not received, or of its delivery; 0 if they have
   * received everything.
   */
  readonly oldestSeconds: number;
  /** Only failures disable one. */
  readonly disabled: number;
  /** Enabled webhooks that failed their last request. */
  readonly failing: number;
}

/**
 * The backlog, for the metrics; the age is that of the event, or of its delivery if there is one. It costs a few look-ups by index for
 * each webhook with something to deliver (one for each type that it wants), however many events there are, and a count of the webhooks.
 */
export async function measureBacklog(sql: Sql): Promise<Backlog> {
  const [backlog] = await sql<[Backlog]>`
    with states as (
      select count(*) filter (where state = 'disabled') as disabled,
             count(*) filter (where state = 'enabled' and failing_since is not null) as failing
      from webhooks
    )
    select count(q.webhook_id) as waiting,
           ${ageSeconds(sql, sql`min(least(pending.at, fresh.at))`)} as "oldestSeconds",
           states.disabled, states.failing
    from states
    left join webhook_queues q on q.due_at is not null
    left join webhooks w on w.id = q.webhook_id
    left join lateral (
      select d.created_at as at from webhook_deliveries d
      where ${isPending(sql)}
      order by d.place, d.part
      limit 1
    ) pending on true
    left join lateral (${waitingEvents(sql, { types: sql`w.events`, limit: 1 })}) fresh on true
    group by states.disabled, states.failing`;
  return backlog;
}

/**
 * The age in seconds of the oldest event that the horizon has not passed, and that no webhook can get yet; 0
 * if there is none. A writer that hangs between its insert and its commit keeps the horizon from moving. It
 * costs one look-up by index.
 */
export async function unsettledSeconds(sql: Sql): Promise<number> {
  const [oldest] = await sql<{ age: number }[]>`
    select ${ageSeconds(sql, sql`at`)} as age from events
    where sequence > (select sequence from webhook_horizon)
    order by sequence
    limit 1`;
  return oldest?.age ?? 0;
}

/** The age of a timestamptz in seconds, by the database's clock; 0 for null and for a time in the future. */
function ageSeconds(sql: Sql, time: Fragment): Fragment {
  return sql`coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`;
}
