import { readDeadLetters, readPartitions, redrive, type StoredDeadLetter, type Stream } from "#nats";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";

/** Which dead letters: those of these sequences, or all. */
export type Selection = ReadonlySet<number> | "all";

/** What the command line gave. */
export function readSelection(sequences: readonly string[], all: boolean): Selection {
  if (all === sequences.length > 0) {
    throw new CommandError("name the sequences to put back, as `dead-letter list` shows them, or give --all");
  }
  if (all) return "all";
  return new Set(
    sequences.map((text) => {
      if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
      throw new CommandError(`"${text}" is no sequence: give the numbers in the first column of the list`);
    }),
  );
}

/**
 * Puts what is dead back into the streams it came from, oldest first, so that an authorization goes before its clearing
 * whatever order was asked for. What is refused again becomes a new dead letter.
 * @returns whether everything that was asked for was put back; `terminal` is told of each that was not
 */
export async function redriveDeadLetters(
  stream: Stream,
  selection: Selection,
  terminal: Terminal,
): Promise<boolean> {
  const partitions = await readPartitions(stream);
  const missing = new Set(selection === "all" ? [] : selection);
  let done = 0;
  let left = 0;
  for await (const stored of readDeadLetters(stream)) {
    const isWanted = missing.delete(stored.sequence) || selection === "all";
    if (!isWanted) continue;
    if (await putBack(stream, stored, partitions, done)) {
      done++;
    } else {
      left++;
      terminal.err(`${stored.sequence} cannot be put back: ${stored.letter.reason}, nothing of it was kept`);
    }
  }
  for (const sequence of missing) terminal.err(`${sequence} is no dead letter`);
  terminal.out(`${done} put back`);
  return left + missing.size === 0;
}

async function putBack(
  stream: Stream,
  stored: StoredDeadLetter,
  partitions: number,
  done: number,
): Promise<boolean> {
  try {
    return await redrive(stream, stored, partitions);
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(
      `${done} put back, then stopped at ${stored.sequence} (${message}): it is kept, run this again later`,
      { cause: error },
    );
  }
}
