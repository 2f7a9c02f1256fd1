import { FLOW } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import type { Stream } from "../connection/connect.ts";
import { publishOrThrow } from "../publish/publish.ts";
import { subjectName } from "../streams/stream-names.ts";

/**
 * Stores a dead letter. Call it before the source counts as done: after a crash in between the source comes
 * again, and the equal id makes the two letters one.
 * @param part distinguishes several letters of one message
 */
export function bury(stream: Stream, letter: DeadLetter, part = "whole"): Promise<void> {
  return publishOrThrow(stream, {
    subject: subjectName(stream, FLOW.dead),
    payload: JSON.stringify(letter),
    id: `dead-${letter.hop}-${letter.partition}-${letter.sequence}-${part}`,
  });
}
