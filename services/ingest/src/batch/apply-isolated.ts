import { FLOW } from "#contract";
import type { BatchEvent } from "#domain";
import { bury, type Stream, type StreamMessage } from "#nats";
import { isolateRefused, type Transaction } from "#postgres";
import { type AppliedBatch, applyEvents, everyOrd } from "./apply-events.ts";
import { type EventBatch, eventAt } from "./event-batch.ts";
import { firstOrds, type Head } from "./prepare-batch.ts";

/** An event that the database refuses for what it says, and will refuse again. */
export interface PoisonEvent {
  readonly event: BatchEvent;
  /** SQLSTATE. */
  readonly error: string;
}

export interface IsolatedBatch extends AppliedBatch {
  /** Their places in `outcomes` are empty. */
  readonly poison: readonly PoisonEvent[];
}

/** `applyEvents`, except that an event which the database refuses does not hold up the others; attempts are savepoints. */
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
 * Events that the database refuses for good: kept where an operator finds them and can put them back. A letter is named by
 * the time of its message too: a stream that was recreated uses the same sequences again.
 */
export async function buryPoison(
  stream: Stream,
  messages: readonly StreamMessage[],
  heads: readonly (Head | undefined)[],
  poison: readonly PoisonEvent[],
): Promise<void> {
  const starts = firstOrds(heads);
  for (const { event, error } of poison) {
    // A message that could not be read begins where the next one does, and has no events.
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
