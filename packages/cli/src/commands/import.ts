import { type Command, InvalidArgumentError, Option } from "commander";
import { FORMATS } from "../import/input.ts";
import type { ImportFlags } from "../import/read-options.ts";
import { EXIT_INTERRUPTED, untilInterrupted } from "../interrupted.ts";
import { addAccessOptions } from "../publisher-access.ts";
import type { CommandContext } from "../terminal.ts";

/** A row was rejected. */
const EXIT_REJECTED = 2;

export function addImportCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  const command = program
    .command("import")
    .description("send the transactions of files to the publisher API (docs/import.md)")
    .argument("<files...>", "CSV, JSON lines or Parquet, also in gzip; - is standard input")
    .addOption(new Option("--format <format>", "of the files (default: by their names)").choices(FORMATS))
    .option("--map <file>", "how a row becomes an event")
    .option("--member-base <id>", "rows name members by their ref in this memberbase")
    .addOption(
      new Option("--members <which>", "a ref that no member has: make the member, or reject the row")
        .choices(["make", "existing"])
        .default("make"),
    )
    .option("--rate <number>", "events a second at most", readRate)
    .option("--async", "do not wait for the result of a request before the next", false)
    .option("--dry-run", "read, map and validate everything, and send nothing", false)
    .option("--resume", "go on where an earlier run of the same command stopped", false)
    .option("--checkpoint <file>", "keeps the import's progress (default: <first file>.checkpoint)")
    .option("--rejects <file>", "gets each rejected row with its line, code and reason, as JSON lines")
    .option("--ignored <file>", "gets each row with fields that were ignored, as the stored values stand");
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
