import { readPartitions, type Stream } from "#nats";
import { discard, readDeadLetters, redrive, type StoredDeadLetter } from "#nats/dead-letters";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";
import { type LetterFilter, matches } from "./letter-filter.ts";

/** Which dead letters: those with these sequences, or those that match. An empty filter means all. */
export type Selection = { readonly sequences: ReadonlySet<number> } | { readonly filter: LetterFilter };

/** What is done with a letter, and how the terminal tells it. */
interface Change {
  readonly done: string;
  /** @returns false if it cannot be done with this letter */
  apply(stream: Stream, stored: StoredDeadLetter, partitions: number): Promise<boolean>;
}

/** Puts letters back into the streams they came from. What is refused again becomes a new letter. */
export const REDRIVE: Change = { done: "put back", apply: redrive };

/** Removes letters for good. */
export const DISCARD: Change = {
  done: "discarded",
  apply: async (stream, stored) => {
    await discard(stream, stored);
    return true;
  },
};

/** Counts what a change would be about, and changes nothing. */
export async function countSelected(stream: Stream, selection: Selection): Promise<number> {
  let count = 0;
  for await (const _ of readSelected(stream, selection)) count++;
  return count;
}

/**
 * Changes the chosen letters, oldest first, so that an authorization goes before its clearing, whatever the order of the
 * arguments. Each is done with by itself: a kill in the middle leaves the others as they were, and running it again goes
 * on with them.
 * @returns whether everything that was asked for was done; `terminal` shows each that was not
 */
export async function changeLetters(
  stream: Stream,
  selection: Selection,
  { done: word, apply }: Change,
  terminal: Terminal,
): Promise<boolean> {
  const partitions = await readPartitions(stream);
  const missing = new Set("sequences" in selection ? selection.sequences : []);
  const { width } = terminal;
  let done = 0;
  let left = 0;
  for await (const stored of readSelected(stream, selection)) {
    missing.delete(stored.sequence);
    const isDone = await apply(stream, stored, partitions).catch((cause: unknown) => {
      throw new CommandError(
        `${done} ${word}, then stopped at ${stored.sequence} (${(cause as Error).message}): it is kept, run this again later`,
        { cause },
      );
    });
    if (isDone) {
      done++;
      if (width !== undefined && done % 100 === 0) terminal.rewrite(`${done} ${word}`);
    } else {
      left++;
      terminal.err(`${stored.sequence} cannot be ${word}: ${stored.letter.reason}, nothing of it was kept`);
    }
  }
  if (width !== undefined) terminal.rewrite("");
  for (const sequence of missing) terminal.err(`${sequence} is no dead letter`);
  terminal.out(`${done} ${word}`);
  return left + missing.size === 0;
}

async function* readSelected(stream: Stream, selection: Selection): AsyncGenerator<StoredDeadLetter> {
  for await (const stored of readDeadLetters(stream)) {
    const isWanted =
      "sequences" in selection ? selection.sequences.has(stored.sequence) : matches(stored, selection.filter);
    if (isWanted) yield stored;
  }
}
