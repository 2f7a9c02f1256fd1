import type { Command } from "commander";
import { readDeadLetters, readPartitions, redrive, type StoredDeadLetter, type Stream } from "#nats";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { withStream } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addDeadLetterCommands(program: Command, { terminal, env, exit }: CommandContext): void {
  const deadLetter = program
    .command("dead-letter")
    .description("events and messages that could not be processed (NATS_URL, or the running instance's)");
  deadLetter
    .command("list")
    .description(
      "one line each, tab-separated: sequence, time, reason, SQLSTATE, external_id, stream/partition/sequence",
    )
    .option("--json", "one JSON object a line, with all that is kept", false)
    .action(({ json }: { json: boolean }) =>
      withStream(readSettings(env), (stream) => listDeadLetters(stream, { json }, terminal)),
    );
  deadLetter
    .command("redrive")
    .description("put them back where they came from, once the cause is mended")
    .argument("[sequences...]", "which, by the first column of `dead-letter list`")
    .option("--all", "all of them", false)
    .action(async (sequences: string[], { all }: { all: boolean }) => {
      const selection = readSelection(sequences, all);
      const redriveThem = withStream(readSettings(env), (stream) =>
        redriveDeadLetters(stream, selection, terminal),
      );
      if (!(await redriveThem)) exit(1);
    });
}

const NOTHING = "-";

/**
 * Lists all dead letters, oldest first: one line each on `out`, or one JSON object each. Dead letters hold no
 * card data.
 * @throws StartError when there is no Stampede on this NATS
 */
async function listDeadLetters(
  stream: Stream,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  await readPartitions(stream);
  let count = 0;
  for await (const stored of readDeadLetters(stream)) {
    terminal.out(json ? toJson(stored) : toLine(stored));
    count++;
  }
  if (!json) terminal.err(count === 1 ? "1 dead letter" : `${count} dead letters`);
}

/**
 * The letter's own `sequence` is that of its origin. It becomes `from`, so that `sequence` is what `redrive`
 * takes.
 */
function toJson({ sequence, at, letter }: StoredDeadLetter): string {
  const { reason, error, hop, partition, sequence: from, row, outcome, settlement, transactionId } = letter;
  return JSON.stringify({
    sequence,
    at,
    reason,
    error,
    from: { stream: hop, partition, sequence: from },
    row,
    outcome,
    settlement,
    transactionId,
  });
}

/** Tabs between the columns, because an external_id may hold spaces, but no value holds a tab. */
function toLine({ sequence, at, letter }: StoredDeadLetter): string {
  const { reason, error = NOTHING, hop, partition, sequence: from, row } = letter;
  const externalId = row === undefined ? NOTHING : row.externalId;
  return [sequence, at.toISOString(), reason, error, externalId, `${hop}/${partition}/${from}`].join("\t");
}

/** Which dead letters: those with these sequences, or all. */
type Selection = ReadonlySet<number> | "all";

/** Reads which letters the command line names. */
function readSelection(sequences: readonly string[], all: boolean): Selection {
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
 * Puts dead letters back into the streams they came from, oldest first, so that an authorization goes before
 * its clearing, whatever the order of the arguments. What is refused again becomes a new dead letter.
 * @returns whether everything that was asked for was put back; `terminal` shows each that was not
 */
async function redriveDeadLetters(
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
