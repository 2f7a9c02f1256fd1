import { LIMITS, type TransactionEvent } from "#contract";
import { packEvent } from "#contract/ingest";
import { partitionOf } from "#domain";

/** Events of one request for one partition, in their order, small enough for one message. */
export interface EventSlice {
  readonly partition: number;
  readonly events: readonly string[];
}

/**
 * Spreads the events of a request over partitions by `external_id`. A partition's share that is too large for one
 * message becomes several slices, which leave one after the other (`IngestRequest`).
 */
export function sliceEvents(events: readonly TransactionEvent[], partitions: number): EventSlice[] {
  const byPartition: string[][] = Array.from({ length: partitions }, () => []);
  for (const [index, event] of events.entries()) {
    byPartition[partitionOf(event.external_id, partitions)]?.push(packEvent(index, event));
  }
  const slices: EventSlice[] = [];
  for (const [partition, packed] of byPartition.entries()) {
    for (const share of cut(packed)) slices.push({ partition, events: share });
  }
  return slices;
}

function* cut(packed: readonly string[]): Generator<readonly string[]> {
  let start = 0;
  let bytes = 0;
  for (const [i, event] of packed.entries()) {
    const size = Buffer.byteLength(event) + 1;
    if (i > start && (i - start >= LIMITS.eventsPerMessage || bytes + size > LIMITS.messageBytes)) {
      yield packed.slice(start, i);
      start = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (packed.length > start) yield packed.slice(start);
}
