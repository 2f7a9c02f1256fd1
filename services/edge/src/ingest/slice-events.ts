import { LIMITS, type TransactionEvent } from "#contract";
import { type PackedEvents, packEvents } from "#contract/codec";
import { addTo, partitionOf } from "#domain";

/** Events of one request for one partition, in their order; they fit into one message. */
export interface EventSlice {
  readonly partition: number;
  /** Their places in the request. */
  readonly indexes: readonly number[];
  /** Packed by `packEvents`. */
  readonly bytes: Uint8Array;
}

/**
 * Spreads the events of a request over partitions by `external_id`. A partition's share that is too large for one
 * message becomes several slices, which leave one after the other (`IngestRequest`).
 */
export function sliceEvents(events: readonly TransactionEvent[], partitions: number): EventSlice[] {
  const byPartition = new Map<number, number[]>();
  for (let index = 0; index < events.length; index++) {
    addTo(byPartition, partitionOf((events[index] as TransactionEvent).external_id, partitions), index);
  }
  const slices: EventSlice[] = [];
  for (const [partition, indexes] of byPartition) {
    for (const share of cut(indexes, packEvents(events, indexes))) slices.push({ partition, ...share });
  }
  return slices;
}

function* cut(
  indexes: readonly number[],
  { bytes, ends }: PackedEvents,
): Generator<Omit<EventSlice, "partition">> {
  let first = 0;
  let start = 0;
  for (let next = 1; next <= ends.length; next++) {
    const end = ends[next - 1] as number;
    const isFull =
      next - first === LIMITS.eventsPerMessage || (ends[next] ?? 0) - start > LIMITS.messageBytes;
    if (next < ends.length && !isFull) continue;
    const isAll = next - first === indexes.length;
    yield { indexes: isAll ? indexes : indexes.slice(first, next), bytes: bytes.subarray(start, end) };
    first = next;
    start = end;
  }
}
