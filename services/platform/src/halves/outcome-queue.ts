import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { nameUuid, retryDelayMs } from "#domain";
import { messagingAttributes, publishOrThrow, type Stream, subjectName } from "#nats";
import type { Sql, Store } from "#postgres";
import { type Log, type Repeated, repeat, type Tracing, untilDone } from "#runtime";
import type { EarnedOutcome } from "./judge.ts";

/**
 * Queues outcomes for publication, in the database transaction that decided them: neither is there without the other.
 * @param traceparent of the span that decided them, where it is traced
 */
export async function queueOutcomes(
  sql: Sql,
  outcomes: readonly EarnedOutcome[],
  traceparent: string | undefined,
): Promise<void> {
  if (outcomes.length === 0) return;
  const texts = outcomes.map(({ json }) => json);
  await sql`
    insert into platform.outcome_queue (outcome, traceparent)
    select outcome, ${traceparent ?? null}::text from unnest(${texts}::text[]) as queued (outcome)`;
}

/**
 * Takes the oldest queued outcomes, gives them to `publish`, and deletes them once that has succeeded. Several processes may
 * do this at once: each takes other outcomes. A crash between the publication and the commit leaves them in the queue, and
 * they are published again; the receiver recognises them by what they are about.
 * @param publish gets texts of JSON, oldest first, each with the `traceparent` of the span that decided it; it is not called
 *   if the queue is empty
 * @returns how many there were
 */
export async function takeOutcomes(
  store: Store,
  limit: number,
  publish: (outcomes: readonly string[], traceparents: readonly (string | null)[]) => Promise<void>,
): Promise<number> {
  return store.begin(async (sql) => {
    const rows = await sql<{ position: number; outcome: string; traceparent: string | null }[]>`
      select position, outcome, traceparent from platform.outcome_queue
      order by position
      limit ${limit}
      for update skip locked`;
    if (rows.length === 0) return 0;
    await publish(
      rows.map(({ outcome }) => outcome),
      rows.map(({ traceparent }) => traceparent),
    );
    const positions = rows.map(({ position }) => position);
    await sql`delete from platform.outcome_queue where position = any(${positions}::bigint[])`;
    return rows.length;
  });
}

/** How often the publisher looks for outcomes that a crash or an outage left in the queue. */
const POLL_MS = 250;
/** Under load, messages are at least so far apart, so that one holds the outcomes of several batches. */
const SPACING_MS = 20;

interface OutcomePublisherParts {
  readonly store: Store;
  readonly stream: Stream;
  /** Told after each message how many outcomes were taken out of the queue. */
  readonly onPublished: (outcomes: number) => void;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/**
 * Brings outcomes from their queue to the stream: at once after a kick, and every 250 ms those that a crash or an outage
 * left. Several processes may do this at once; the order of outcomes does not matter.
 *
 * Crashes thought of: before the stream has a message, its outcomes are still in the queue. After that, and before the commit
 * that takes them out, they are published again, perhaps together with others; rewards recognises them by what they are
 * about.
 */
export class OutcomePublisher {
  readonly #parts: OutcomePublisherParts;
  readonly #loop: Repeated;

  constructor(parts: OutcomePublisherParts) {
    this.#parts = parts;
    this.#loop = repeat({
      name: "outcomes",
      everyMs: POLL_MS,
      spacingMs: SPACING_MS,
      againMs: (failures) => Math.min(LIMITS.publishRetryMs, retryDelayMs(failures, Math.random())),
      work: (stop) => this.#drain(stop),
      failed: "outcomes were not published; trying again",
      log: parts.log,
    });
  }

  /** To be called when outcomes were queued. */
  kick(): void {
    this.#loop.kick();
  }

  /** Waits for the message that is being published; the rest stays in the queue. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #drain(stop: AbortSignal): Promise<void> {
    const { store, stream, onPublished } = this.#parts;
    let taken: number = LIMITS.outcomesPerMessage;
    while (taken === LIMITS.outcomesPerMessage && !stop.aborted && stream.connected()) {
      taken = await takeOutcomes(store, LIMITS.outcomesPerMessage, (outcomes, traceparents) =>
        publish(this.#parts, outcomes, traceparents),
      );
      onPublished(taken);
    }
  }
}

/**
 * Part of every message's id. A restored database may queue the same outcomes again, within the time in which the stream
 * drops repeated ids, and they must not be dropped.
 */
const PROCESS = uuidv7();

/**
 * The id is made of the process and of the whole content. Positions in the queue would not do: with several processes, two
 * different sets of outcomes may begin and end alike, and the second would be dropped as a repetition of the first.
 */
function publish(
  { stream, tracing }: OutcomePublisherParts,
  outcomes: readonly string[],
  traceparents: readonly (string | null)[],
): Promise<void> {
  const list = outcomes.join(",");
  const sending = tracing?.follow({
    name: `send ${FLOW.outcomes.stream}`,
    kind: "producer",
    from: traceparents,
    attributes: { ...messagingAttributes("send", FLOW.outcomes), "stampede.rows": outcomes.length },
  });
  return untilDone(sending, (span) =>
    publishOrThrow(stream, {
      subject: subjectName(stream, FLOW.outcomes),
      payload: `{"v":1,"outcomes":[${list}]}`,
      id: `${FLOW.outcomes.stream}-${PROCESS}-${nameUuid(list)}`,
      headers: {
        [HEADERS.rows]: String(outcomes.length),
        ...(span !== undefined && { [HEADERS.traceparent]: span.traceparent }),
      },
    }),
  );
}

/** How much waits to be published, and for how long. */
export interface OutcomeQueueSize {
  /** At most a hundred thousand: more is not counted. */
  readonly outcomes: number;
  /** How long the oldest has waited; 0 if there is none. */
  readonly waitingSeconds: number;
}

const COUNTED = 100_000;

/** Reads the queue up to a bound, so that measuring it stays cheap after a long outage. */
export async function measureOutcomeQueue(sql: Sql): Promise<OutcomeQueueSize> {
  const [size] = await sql<[OutcomeQueueSize]>`
    select
      (select count(*) from (select from platform.outcome_queue limit ${COUNTED}) as counted) as outcomes,
      coalesce((
        select extract(epoch from now() - queued_at)::float8
        from platform.outcome_queue order by position limit 1
      ), 0) as "waitingSeconds"`;
  return size;
}
