import type { Stream } from "../connection/connect.ts";
import { readPartitions } from "../streams/stream-state.ts";
import { discard, redrive, type StoredDeadLetter } from "./stored-dead-letters.ts";

/** The changes of a dead letter: put it back into its stream, or remove it for good. */
export type LetterChange = "redrive" | "discard";

/** Observes a change of dead letters. */
interface ChangeObserver {
  /** @param done the number changed so far, including this one */
  changed?(stored: StoredDeadLetter, done: number): void;
  /** Nothing of it was kept that could be put back: it stays. */
  impossible?(stored: StoredDeadLetter): void;
}

/** The result of a change. */
interface ChangeReport {
  readonly done: number;
  /** How many stay, because nothing of them was kept. */
  readonly impossible: number;
  /** The letter at which the change stopped, and why. That one stays, and so do all after it. */
  readonly stopped?: { readonly at: StoredDeadLetter; readonly cause: unknown };
}

/**
 * Puts back or discards letters one after the other. Each is a separate step: a kill in the middle leaves the
 * others unchanged, and a repetition continues with them. If a letter that was put back is refused again, it
 * becomes a new letter.
 * @param letters oldest first, so that an authorization goes before its clearing
 * @throws StartError if there is no Stampede on this NATS
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

/** @returns false if the change is impossible for this letter */
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
