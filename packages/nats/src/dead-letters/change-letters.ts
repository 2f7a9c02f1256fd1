import type { Stream } from "../connection/connect.ts";
import { readPartitions } from "../streams/stream-state.ts";
import { discard, redrive, type StoredDeadLetter } from "./stored-dead-letters.ts";

/** What can be done with a dead letter: put it back into the stream that it came from, or remove it for good. */
export type LetterChange = "redrive" | "discard";

/** What a change of dead letters tells while it goes on. */
interface ChangeObserver {
  /** @param done how many so far, this one included */
  changed?(stored: StoredDeadLetter, done: number): void;
  /** Nothing of it was kept that could be put back: it stays. */
  impossible?(stored: StoredDeadLetter): void;
}

/** What a change came to. */
interface ChangeReport {
  readonly done: number;
  /** How many stay, because nothing of them was kept. */
  readonly impossible: number;
  /** The letter at which it stopped, and why. That one is kept, and all behind it. */
  readonly stopped?: { readonly at: StoredDeadLetter; readonly cause: unknown };
}

/**
 * Puts back or discards letters one after the other. Each is done with by itself: a kill in the middle leaves the others as
 * they were, and doing it again goes on with them. What is put back and refused again becomes a new letter.
 * @param letters oldest first, so that an authorization goes before its clearing
 * @throws StartError when there is no Stampede on this NATS
 */
export async function changeLetters(
  stream: Stream,
  letters: AsyncIterable<StoredDeadLetter>,
  change: LetterChange,
  observer: ChangeObserver = {},
): Promise<ChangeReport> {
  const partitions = await readPartitions(stream);
  let done = 0;
  let impossible = 0;
  for await (const stored of letters) {
    try {
      if (await applyChange(stream, stored, change, partitions)) {
        done++;
        observer.changed?.(stored, done);
      } else {
        impossible++;
        observer.impossible?.(stored);
      }
    } catch (cause) {
      return { done, impossible, stopped: { at: stored, cause } };
    }
  }
  return { done, impossible };
}

/** @returns false if it cannot be done with this letter */
async function applyChange(
  stream: Stream,
  stored: StoredDeadLetter,
  change: LetterChange,
  partitions: number,
): Promise<boolean> {
  if (change === "redrive") return redrive(stream, stored, partitions);
  await discard(stream, stored);
  return true;
}
