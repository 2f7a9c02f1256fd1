import { type Command, InvalidArgumentError, Option } from "commander";
import { StampedeClient } from "#client";
import { isTimestamp } from "#domain";
import { CommandError } from "../command-error.ts";
import { EXPORT_FORMATS, type ExportFormat, headerOf, lineOf, writeWhole } from "../export/write-rows.ts";
import { ProgressLine } from "../import/progress-line.ts";
import { EXIT_INTERRUPTED, untilInterrupted } from "../interrupted.ts";
import { type AccessFlags, addAccessOptions, findPublisher, INTERACTIVE } from "../publisher-access.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

const PAGE_ROWS = 1000;
const CHUNK_CHARACTERS = 64 * 1024;

interface Flags extends AccessFlags {
  readonly since?: string;
  readonly until?: string;
  /** Left out: standard output, which a reader must not trust before the exit code is 0. */
  readonly out?: string;
  readonly format?: ExportFormat;
}

export function addExportCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  const command = program
    .command("export")
    .description("write the organisation's transactions as rows that import reads (docs/import.md)")
    .option(
      "--since <time>",
      "transactions authorized at this time or later, such as 2026-03-01 or 2026-03-01T08:00:00Z",
      readTime,
    )
    .option("--until <time>", "transactions authorized before this time", readTime)
    .option("--out <file>", "file for the rows; it appears when it is complete (default: standard output)")
    .addOption(
      new Option("--format <format>", "format of the rows (default: by the file's name, else jsonl)").choices(
        EXPORT_FORMATS,
      ),
    );
  addAccessOptions(command).action(async (flags: Flags) => {
    const { out } = flags;
    const client = new StampedeClient(findPublisher(flags, env));
    const signal = untilInterrupted();
    try {
      await exportRows(client, flags, terminal, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      terminal.err(out === undefined ? "stopped" : `stopped: ${out} is not written`);
      exit(EXIT_INTERRUPTED);
    } finally {
      await client.close();
    }
  });
}

/** A day stands for its beginning in UTC. */
function readTime(text: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  if (isTimestamp(time)) return time;
  throw new InvalidArgumentError(
    "It is a day such as 2026-03-01, or a time with an offset: 2026-03-01T08:00:00Z.",
  );
}

const isCsv = (file = "") => /\.csv(\.gz)?$/i.test(file);

async function exportRows(
  client: StampedeClient,
  { since, until, out, format = isCsv(out) ? "csv" : "jsonl" }: Flags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until)) {
    throw new CommandError("--since is not before --until");
  }
  // A service that does not run is reported within seconds. If the service goes away later, the export waits.
  await client.call("transaction/export", { pagination: { limit: 1 } }, { signal, ...INTERACTIVE });
  let rows = 0;
  const progress = new ProgressLine(terminal, "transactions", () => ({ rows, share: undefined, words: "" }));
  const text = async function* () {
    const request = {
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      pagination: { limit: PAGE_ROWS },
    };
    let lines = headerOf(format);
    // In the order of `external_id`, so that transactions that arrive meanwhile double no row and hide none.
    for await (const row of client.list("transaction/export", request, { signal })) {
      rows++;
      lines += lineOf(row, format);
      if (lines.length < CHUNK_CHARACTERS) continue;
      yield lines;
      lines = "";
    }
    yield lines;
  };
  try {
    if (out !== undefined) await writeWhole(out, text(), signal);
    else for await (const part of text()) await terminal.outText(part);
  } finally {
    progress.end();
  }
  terminal.err(`${rows.toLocaleString("en")} transactions${out === undefined ? "" : ` in ${out}`}`);
}
