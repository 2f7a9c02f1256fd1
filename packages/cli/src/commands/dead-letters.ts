import { type Command, Option } from "commander";
import { FLOW } from "#contract";
import { readPartitions, type Stream } from "#nats";
import {
  changeLetters,
  decodeLetter,
  describeLetter,
  findDeadLetter,
  type LetterChange,
  type LetterFilter,
  type LetterGroup,
  LetterGroups,
  matches,
  readDeadLetters,
  type StoredDeadLetter,
} from "#nats/dead-letters";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { printable } from "../listen/print-event.ts";
import { readMoment } from "../option-values.ts";
import { withStream } from "../servers.ts";
import { type CommandContext, countOf, type Terminal } from "../terminal.ts";

const STREAMS = Object.values(FLOW).flatMap(({ stream }) => (stream === FLOW.dead.stream ? [] : [stream]));

interface ListFlags extends LetterFilter {
  readonly json: boolean;
  readonly group: boolean;
}

interface ChangeFlags extends LetterFilter {
  readonly all: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const { terminal, env } = context;
  const deadLetter = program
    .command("dead-letter")
    .description("events and messages that could not be processed (NATS_URL, or the running instance's)");
  const list = deadLetter
    .command("list")
    .description(
      "list dead letters, tab-separated: sequence, time, reason, SQLSTATE, external_id, stream/partition/sequence",
    )
    .option("--group", "count the letters: a line for each stream and reason", false)
    .option("--json", "one JSON object a line, with all that is kept", false);
  addFilterOptions(list).action((flags: ListFlags) =>
    withDeadLetters(env, (stream) =>
      flags.group ? groupDeadLetters(stream, flags, terminal) : listDeadLetters(stream, flags, terminal),
    ),
  );
  deadLetter
    .command("show")
    .description("show one dead letter with its body, in the API's field names")
    .argument("<sequence>", "from the first column of `dead-letter list`")
    .action((sequence: string) =>
      withDeadLetters(env, (stream) => showDeadLetter(stream, readSequence(sequence), terminal)),
    );
  addChangeCommand(deadLetter, context, {
    change: "redrive",
    description: "put dead letters back where they came from; fix the cause first",
    // Letters that are named are put back at once: one that cannot be handled becomes a letter again.
    asksFor: (selection) => "filter" in selection,
    counted: "letters that a filter selects",
  });
  addChangeCommand(deadLetter, context, {
    change: "discard",
    description: "remove dead letters for good",
    asksFor: () => true,
    counted: "the letters",
  });
}

interface ChangeCommand {
  /** Also the name of the command. */
  readonly change: LetterChange;
  readonly description: string;
  /** Whether the change needs `--yes`. */
  asksFor(selection: Selection): boolean;
  /** The letters for which it does, in words. */
  readonly counted: string;
}

function addChangeCommand(
  deadLetter: Command,
  { terminal, env, exit }: CommandContext,
  { change, description, asksFor, counted }: ChangeCommand,
): void {
  const command = deadLetter
    .command(change)
    .description(description)
    .argument("[sequences...]", "from the first column of `dead-letter list`")
    .option("--all", "all dead letters", false)
    .option("--dry-run", "only count the letters", false)
    .option("--yes", `do it; without --yes, ${counted} are only counted`, false);
  addFilterOptions(command).action(async (sequences: string[], flags: ChangeFlags) => {
    const selection = readSelection(sequences, flags);
    await withDeadLetters(env, async (stream) => {
      if (!flags.dryRun && (flags.yes || !asksFor(selection))) {
        if (!(await tellChange(stream, selection, change, terminal))) exit(1);
        return;
      }
      let count = 0;
      for await (const _ of readSelected(stream, selection)) count++;
      const would = `${count} would be ${CHANGE_WORDS[change]}`;
      terminal.out(flags.dryRun ? would : `${would}: nothing was changed, add --yes to do it`);
      if (!flags.dryRun) exit(1);
    });
  });
}

/** @throws StartError if NATS has no streams of Stampede */
function withDeadLetters(env: Environment, work: (stream: Stream) => Promise<void>): Promise<void> {
  return withStream(readSettings(env), async (stream) => {
    await readPartitions(stream);
    await work(stream);
  });
}

const NOTHING = "-";

/** Lists dead letters, oldest first: one line each on `out`, or one JSON object each. They hold no card data. */
async function listDeadLetters(stream: Stream, flags: ListFlags, terminal: Terminal): Promise<void> {
  let count = 0;
  for await (const stored of readSelected(stream, { filter: flags })) {
    terminal.out(flags.json ? JSON.stringify(describeLetter(stored)) : toLine(stored));
    count++;
  }
  if (!flags.json) terminal.err(countOf(count, "dead letter"));
}

/** Tabs between the columns, because an external_id may hold spaces; a tab or another control character is escaped. */
function toLine({ sequence, at, letter }: StoredDeadLetter): string {
  const { reason, error = NOTHING, hop, partition, sequence: from, row } = letter;
  const externalId = row === undefined ? NOTHING : row.externalId;
  const place = `${hop}/${partition}/${from}`;
  return [String(sequence), at.toISOString(), reason, error, externalId, place].map(printable).join("\t");
}

/** Counts by stream and reason, the largest first: count, stream, reason, oldest, newest, counts by SQLSTATE. */
async function groupDeadLetters(stream: Stream, flags: ListFlags, terminal: Terminal): Promise<void> {
  const groups = new LetterGroups();
  let count = 0;
  for await (const stored of readSelected(stream, { filter: flags })) {
    groups.add(stored);
    count++;
    if (terminal.width !== undefined && count % 1000 === 0) terminal.rewrite(`${count} read`);
  }
  if (terminal.width !== undefined) terminal.rewrite("");
  for (const group of groups.sorted) terminal.out(flags.json ? groupToJson(group) : groupToLine(group));
  if (!flags.json) terminal.err(countOf(count, "dead letter"));
}

function groupToJson({ errors, ...group }: LetterGroup): string {
  return JSON.stringify({ ...group, errors: Object.fromEntries(errors) });
}

function groupToLine({ stream, reason, count, oldest, newest, errors }: LetterGroup): string {
  const states = [...errors].map(([error, times]) => `${error}: ${times}`).join(", ");
  return [count, stream, reason, oldest.toISOString(), newest.toISOString(), states || NOTHING].join("\t");
}

async function showDeadLetter(stream: Stream, sequence: number, terminal: Terminal): Promise<void> {
  const stored = await findDeadLetter(stream, sequence);
  if (stored === undefined) {
    throw new CommandError(
      `${sequence} is no dead letter: it was put back, discarded or is older than 30 days`,
    );
  }
  terminal.out(JSON.stringify(decodeLetter(stored), null, 2));
}

/** Which dead letters: those with these sequences, or those that match. An empty filter means all. */
type Selection = { readonly sequences: ReadonlySet<number> } | { readonly filter: LetterFilter };

/** The words for each change. */
const CHANGE_WORDS: Readonly<Record<LetterChange, string>> = {
  redrive: "put back",
  discard: "discarded",
};

/**
 * Changes the selected letters, oldest first.
 * @returns whether all of them were changed; `terminal` names each that was not
 * @throws CommandError if it stopped in the middle: the other letters are kept
 */
async function tellChange(
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
      terminal.err(`${sequence} cannot be ${word}: ${letter.reason}, its message was not kept`);
    },
  });
  if (stopped !== undefined) {
    const { at, cause } = stopped;
    throw new CommandError(
      `${done} ${word}, then stopped at ${at.sequence} (${(cause as Error).message}): it and those after it are kept, run this again later`,
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

/** The letters that the command line selects: by sequence, by filter, or all. */
function readSelection(sequences: readonly string[], flags: ChangeFlags): Selection {
  const filter = filterOf(flags);
  const ways = [sequences.length > 0, Object.keys(filter).length > 0, flags.all].filter(Boolean);
  if (ways.length !== 1) {
    throw new CommandError(
      "name the sequences, as `dead-letter list` shows them, or give filters such as --reason, or --all; one of these",
    );
  }
  return sequences.length > 0 ? { sequences: new Set(sequences.map(readSequence)) } : { filter };
}

function readSequence(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new CommandError(`"${text}" is no sequence: give the numbers in the first column of the list`);
}

/** Adds the options that make a `LetterFilter`. */
function addFilterOptions(command: Command): Command {
  return command
    .option("--reason <reason>", "only letters with this reason, such as poison_event")
    .addOption(new Option("--stream <name>", "only letters that came from this stream").choices(STREAMS))
    .option("--error <sqlstate>", "only letters whose SQLSTATE begins with this: 23 means every constraint")
    .option("--external-id <id>", "only letters of this transaction")
    .option("--since <when>", "only letters from then on: 1h ago (1h), or a time", readMoment)
    .option("--until <when>", "only letters from before then", readMoment);
}

/** The filter among the options of a command. */
function filterOf({ reason, stream, error, externalId, since, until }: LetterFilter): LetterFilter {
  const given = Object.entries({ reason, stream, error, externalId, since, until }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}
