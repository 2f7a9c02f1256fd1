import { FLOW } from "#contract";
import { bury, type Stream, type StreamMessage } from "#nats";
import type { PoisonEvent } from "./apply-isolated.ts";
import { firstOrds, type Head } from "./prepare-batch.ts";

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
