import { type Command, InvalidArgumentError, Option } from "commander";
import { FORMATS } from "../import/input.ts";
import type { ImportFlags } from "../import/read-options.ts";
import { EXIT_INTERRUPTED, untilInterrupted } from "../interrupted.ts";
import { addAccessOptions } from "../publisher-access.ts";
import type { CommandContext } from "../terminal.ts";

/** A row was rejected, or may have been (`Tally.unnamed`). */
const EXIT_REJECTED = 2;

export function addImportCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  const command = program
    .command("import")
    .description("send the transactions of files to the publisher API (docs/import.md)")
    .argument("<files...>", "CSV or JSON lines, also in gzip; - is standard input")
    .addOption(
      new Option("--format <format>", "format of the files (default: by their names)").choices(FORMATS),
    )
    .option("--map <file>", "file that says how a row becomes an event")
    .option("--member-base <id>", "rows name members by their ref in this memberbase")
    .addOption(
      new Option("--members <which>", "if no member has a row's ref: make the member, or reject the row")
        .choices(["make", "existing"])
        .default("make"),
    )
    .option("--rate <number>", "the most events per second", readRate)
    .option("--async", "do not wait for the result of a request before sending the next", false)
    .option("--dry-run", "read, map and validate everything, and send nothing", false)
    .option("--resume", "go on where an earlier run of the same command stopped", false)
    .option("--checkpoint <file>", "file for the import's progress (default: <first file>.checkpoint)")
    .option("--rejects <file>", "file for rejected rows, each with its line, code and reason, as JSON lines")
    .option(
      "--ignored <file>",
      "file for rows with ignored fields: fields that differ from the stored values",
    );
  addAccessOptions(command).action(async (files: string[], flags: ImportFlags) => {
    // Imported here, because the libraries that read files take a tenth of a second to load.
    const { readOptions } = await import("../import/read-options.ts");
    const { runImport } = await import("../import/run-import.ts");
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
