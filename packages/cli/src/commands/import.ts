import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Environment } from "#runtime";
import { CommandError } from "../command-error.ts";
import type { ImportMap } from "../import/import-map.ts";
import { FORMATS, type Format, openInput, STANDARD_INPUT } from "../import/input.ts";
import { parseMap } from "../import/parse-map.ts";
import { type ImportOptions, runImport } from "../import/run-import.ts";
import { untilInterrupted } from "../interrupted.ts";
import { type AccessFlags, addAccessOptions, findPublisher } from "../publisher-access.ts";
import type { CommandContext } from "../terminal.ts";

/** Something was rejected. */
const EXIT_REJECTED = 2;
/** What shells say of a command that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

interface Flags extends AccessFlags {
  readonly format?: Format;
  readonly map?: string;
  readonly memberBase?: string;
  readonly rate?: number;
  readonly async: boolean;
  readonly dryRun: boolean;
  readonly resume: boolean;
  readonly checkpoint?: string;
  readonly rejects?: string;
}

export function addImportCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  const command = program
    .command("import")
    .description("send the transactions of files to the publisher API (docs/import.md)")
    .argument("<files...>", "CSV, JSON lines or Parquet, also in gzip; - is standard input")
    .addOption(
      new Option("--format <format>", "what the files are (default: by their names)").choices(FORMATS),
    )
    .option("--map <file>", "says which event a row is")
    .option("--member-base <id>", "rows name members by their ref in this memberbase; new ones are made")
    .addOption(new Option("--rate <number>", "events a second at most").argParser(readRate))
    .option("--async", "do not wait for the outcome of a request before the next", false)
    .option("--dry-run", "read, map and validate everything, and send nothing", false)
    .option("--resume", "go on where an earlier run of the same command stopped", false)
    .option("--checkpoint <file>", "how far the import is (default: <first file>.checkpoint)")
    .option("--rejects <file>", "gets each rejected row with its line, code and reason, as JSON lines");
  addAccessOptions(command).action(async (files: string[], flags: Flags) => {
    const options = await readOptions(files, flags, env);
    const { ending, rejected } = await runImport(options, terminal, untilInterrupted());
    if (ending === "stopped") exit(EXIT_INTERRUPTED);
    else if (rejected > 0) exit(EXIT_REJECTED);
  });
}

function readRate(text: string): number {
  const rate = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate > 0) return rate;
  throw new InvalidArgumentError("It is a number of events a second, above 0.");
}

/** All that can be said of the command line and the map is said before any input is opened, standard input last. */
async function readOptions(files: readonly string[], flags: Flags, env: Environment): Promise<ImportOptions> {
  const { memberBase, dryRun, resume } = flags;
  if (dryRun && resume) throw new CommandError("--dry-run sends nothing, so there is nothing to --resume");
  if (memberBase?.startsWith("mb_") === false) {
    throw new CommandError("--member-base takes the id of a memberbase, mb_…, as member-base/list gives it");
  }
  const once = files.filter((file) => file === STANDARD_INPUT).length < 2;
  if (!once) throw new CommandError("standard input (-) can be read once");
  const checkpointFile = findCheckpoint(files, flags);
  if (resume && checkpointFile === undefined) {
    throw new CommandError("give --checkpoint: standard input has no name that one could be found by");
  }
  const map = flags.map === undefined ? undefined : readMap(flags.map);
  const access = dryRun ? undefined : findPublisher(flags, env);
  const inputs = [];
  for (const file of files) inputs.push(await openInput(file, flags.format, process.stdin));
  return {
    inputs,
    map: map?.parsed,
    mapHash: map?.hash ?? null,
    memberBase,
    access,
    respondAsync: flags.async,
    rate: flags.rate,
    resume,
    checkpointFile,
    rejectsFile: flags.rejects === undefined ? undefined : resolve(flags.rejects),
  };
}

function findCheckpoint(files: readonly string[], { checkpoint, dryRun }: Flags): string | undefined {
  if (dryRun) return undefined;
  if (checkpoint !== undefined) return checkpoint;
  const first = files.find((file) => file !== STANDARD_INPUT);
  return first === undefined ? undefined : `${first}.checkpoint`;
}

function readMap(file: string): { readonly parsed: ImportMap; readonly hash: string } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(`cannot read the map ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  return { parsed: parseMap(file, text), hash: createHash("sha256").update(text).digest("hex") };
}
