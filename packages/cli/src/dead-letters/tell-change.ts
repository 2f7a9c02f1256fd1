import type { Stream } from "#nats";
import {
  changeLetters,
  type LetterChange,
  type LetterFilter,
  matches,
  readDeadLetters,
  type StoredDeadLetter,
} from "#nats/dead-letters";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";

/** Which dead letters: those with these sequences, or those that match. An empty filter means all. */
export type Selection = { readonly sequences: ReadonlySet<number> } | { readonly filter: LetterFilter };

/** How the terminal tells each change. */
export const CHANGE_WORDS: Readonly<Record<LetterChange, string>> = {
  redrive: "put back",
  discard: "discarded",
};

/** Counts what a change would be about, and changes nothing. */
export async function countSelected(stream: Stream, selection: Selection): Promise<number> {
  let count = 0;
  for await (const _ of readSelected(stream, selection)) count++;
  return count;
}

/**
 * Changes the chosen letters, oldest first, whatever the order of the arguments.
 * @returns whether everything that was asked for was done; `terminal` shows each that was not
 * @throws CommandError when it stopped in the middle: what is left is kept
 */
export async function tellChange(
  stream: Stream,
  selection: Selection,
  change: LetterChange,
  terminal: Terminal,
): Promise<boolean> {
  const word = CHANGE_WORDS[change];
  const missing = new Set("sequences" in selection ? selection.sequences : []);
  const { width } = terminal;
  const { done, impossible, stopped } = await changeLetters(stream, readSelected(stream, selection), change, {
    changed({ sequence }, done) {
      missing.delete(sequence);
      if (width !== undefined && done % 100 === 0) terminal.rewrite(`${done} ${word}`);
    },
    impossible({ sequence, letter }) {
      missing.delete(sequence);
      terminal.err(`${sequence} cannot be ${word}: ${letter.reason}, nothing of it was kept`);
    },
  });
  if (stopped !== undefined) {
    const { at, cause } = stopped;
    throw new CommandError(
      `${done} ${word}, then stopped at ${at.sequence} (${(cause as Error).message}): it is kept, run this again later`,
      { cause },
    );
  }
  if (width !== undefined) terminal.rewrite("");
  for (const sequence of missing) terminal.err(`${sequence} is no dead letter`);
  terminal.out(`${done} ${word}`);
  return impossible + missing.size === 0;
}

async function* readSelected(stream: Stream, selection: Selection): AsyncGenerator<StoredDeadLetter> {
  for await (const stored of readDeadLetters(stream)) {
    const isWanted =
      "sequences" in selection ? selection.sequences.has(stored.sequence) : matches(stored, selection.filter);
    if (isWanted) yield stored;
  }
}
