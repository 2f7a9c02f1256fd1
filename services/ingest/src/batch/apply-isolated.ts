import { FLOW } from "#contract";
import type { BatchEvent } from "#domain";
import { bury, type Stream, type StreamMessage } from "#nats";
import { isolateRefused, type Transaction } from "#postgres";
import { type AppliedBatch, applyEvents, everyOrd } from "./apply-events.ts";
import { type EventBatch, eventAt } from "./event-batch.ts";
import { firstOrds, type Head } from "./prepare-batch.ts";

/** An event whose content the database refuses, and will refuse every time. */
export interface PoisonEvent {
  readonly event: BatchEvent;
  /** The SQLSTATE of the refusal. */
  readonly error: string;
}

export interface IsolatedBatch extends AppliedBatch {
  /** The refused events. Their places in `outcomes` are empty. */
  readonly poison: readonly PoisonEvent[];
}

/**
 * Like `applyEvents`, but an event that the database refuses does not stop the others. Each attempt is a
 * savepoint.
 */
export async function applyIsolated(sql: Transaction, batch: EventBatch): Promise<IsolatedBatch> {
  const ords = everyOrd(batch);
  const apply = (some: readonly number[]) => sql.savepoint((nested) => applyEvents(nested, batch, some));
  const { results, refused } = await isolateRefused(ords, apply);
  return {
    outcomes: ords.map((ord) => results.find(({ outcomes }) => outcomes[ord] !== undefined)?.outcomes[ord]),
    created: results.flatMap(({ created }) => created),
    changed: results.flatMap(({ changed }) => changed),
    links: new Map(results.flatMap(({ links }) => [...links])),
    poison: refused.map(({ item, error }) => ({ event: eventAt(batch, item), error })),
  };
}

/**
 * Writes the events that the database refuses for good to the dead letters, where an operator finds them and
 * can put them back. A letter's name includes the time of its message: a stream that was recreated uses the
 * same sequences again.
 */
export async function buryPoison(
  stream: Stream,
  messages: readonly StreamMessage[],
  heads: readonly (Head | undefined)[],
  poison: readonly PoisonEvent[],
): Promise<void> {
  const starts = firstOrds(heads);
  for (const { event, error } of poison) {
    // An unreadable message has no events: it begins where the next one does.
    const at = starts.findLastIndex((start) => start <= event.ord);
    const { partition, sequence, storedAtMs } = messages[at] as StreamMessage;
    const letter = {
      reason: "poison_event",
      hop: FLOW.ingest.stream,
      partition,
      sequence,
      error,
      row: { ...event },
    };
    await bury(stream, letter, `${storedAtMs}-${event.ord - (starts[at] as number)}`);
  }
}
