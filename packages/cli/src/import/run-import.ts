import { UndeliveredError } from "#client";
import { CommandError, explainFailure } from "../command-error.ts";
import type { PublisherAccess } from "../publisher-access.ts";
import type { Terminal } from "../terminal.ts";
import { type Checkpoint, checkIdentity, type ImportIdentity, loadCheckpoint } from "./checkpoint.ts";
import { Delivery } from "./delivery.ts";
import { Feed, Pace } from "./feed.ts";
import { FileLock } from "./file-lock.ts";
import type { ImportMap } from "./import-map.ts";
import type { Input } from "./input.ts";
import { Ledger } from "./ledger.ts";
import { ProgressLine } from "./progress-line.ts";
import { Recorder } from "./recorder.ts";
import { RejectsFile } from "./rejects-file.ts";
import { describeRejected, describeTally } from "./report.ts";
import { Tally } from "./tally.ts";

/** The most rows on their way. They are in memory; a row takes about a kilobyte. */
const ROWS_ON_THEIR_WAY = 40_000;
/** The most lines that wait to be written. */
const PENDING_LINES = 10_000;

export interface ImportOptions {
  readonly inputs: readonly Input[];
  readonly map: ImportMap | undefined;
  /** The SHA-256 of the map's text. */
  readonly mapHash: string | null;
  readonly memberBase: string | undefined;
  /** Of a ref that no member has. */
  readonly missing: "make" | "refuse";
  /** Undefined for a dry run, which sends nothing. */
  readonly access: PublisherAccess | undefined;
  readonly respondAsync: boolean;
  /** Events a second at most. */
  readonly rate: number | undefined;
  readonly resume: boolean;
  /** Undefined: no checkpoint is kept. */
  readonly checkpointFile: string | undefined;
  readonly rejectsFile: string | undefined;
  readonly ignoredFile: string | undefined;
}

/** `complete`: every row's result is known. `stopped`: the signal has aborted the import, and it can be resumed. */
interface ImportResult {
  readonly ending: "complete" | "stopped";
  /** With the rejections that the service did not keep. */
  readonly rejected: number;
}

/**
 * Imports all inputs, one after the other, and prints the results of their rows.
 * @param signal stops it in order: requests under way end, and the checkpoint is written
 * @throws CommandError, with the checkpoint written, if the service or a file fails for good
 */
export async function runImport(
  options: ImportOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ImportResult> {
  const locks: FileLock[] = [];
  try {
    for (const file of [options.checkpointFile, options.rejectsFile, options.ignoredFile]) {
      if (file !== undefined) locks.push(await FileLock.take(file));
    }
    return await importLocked(options, terminal, signal);
  } finally {
    // Also those that were not read: standard input would keep the process waiting for its writer.
    for (const input of options.inputs) input.close();
    for (const lock of locks) await lock.release();
  }
}

async function importLocked(
  options: ImportOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ImportResult> {
  const identity = identify(options);
  const names = options.inputs.map(({ name }) => name);
  const from = await findStart(options, identity, terminal);
  if (from?.is_complete) {
    terminal.out(`this import was complete at ${from.saved_at}; nothing is sent now. It came to:`);
    return report(new Tally(from.tally), names, "complete", terminal);
  }
  const { rejectsFile, ignoredFile, checkpointFile } = options;
  const rejects =
    rejectsFile === undefined ? undefined : await RejectsFile.open(rejectsFile, from?.rejects_bytes ?? 0);
  const ignored = ignoredFile === undefined ? undefined : await openIgnored(ignoredFile, from, rejects);
  const named = names.length > 1 ? names : undefined;
  const recorder = new Recorder({ checkpointFile, identity, from, rejects, ignored, names: named });
  try {
    await importRows(options, from, recorder, terminal, signal);
    await recorder.save(!signal.aborted);
  } catch (error) {
    // So that a resume does not repeat the rows that are done.
    await recorder.save().catch(() => {});
    throw withAdvice(error, options, recorder.tally);
  } finally {
    await recorder.close();
  }
  if (signal.aborted) terminal.err(`stopped${adviceOf(options)}`);
  for (const input of options.inputs) {
    if (!signal.aborted && input.endsWithinLine()) {
      terminal.err(`${input.name} ends within a line: look whether its last row is whole`);
    }
  }
  return report(recorder.tally, names, signal.aborted ? "stopped" : "complete", terminal);
}

/** Closes the file of rejected rows if it fails. */
async function openIgnored(
  file: string,
  from: Checkpoint | undefined,
  rejects: RejectsFile | undefined,
): Promise<RejectsFile> {
  try {
    return await RejectsFile.open(file, from?.ignored_bytes ?? 0, "ignored rows");
  } catch (error) {
    await rejects?.close();
    throw error;
  }
}

function report(
  tally: Tally,
  names: readonly string[],
  ending: ImportResult["ending"],
  terminal: Terminal,
): ImportResult {
  for (const line of describeTally(tally, names)) terminal.out(line);
  return { ending, rejected: tally.rejected + tally.unnamed };
}

function identify(options: ImportOptions): ImportIdentity {
  return {
    inputs: options.inputs.map(({ name, format, identity }) => ({ name, format, ...identity })),
    map_sha256: options.mapHash,
    url: options.access?.baseUrl ?? "",
    member_base: options.memberBase ?? null,
    rejects: options.rejectsFile ?? null,
    ignored: options.ignoredFile ?? null,
  };
}

/** The checkpoint to resume; undefined to begin with the first row. */
async function findStart(
  { checkpointFile, resume }: ImportOptions,
  identity: ImportIdentity,
  terminal: Terminal,
): Promise<Checkpoint | undefined> {
  if (checkpointFile === undefined) return undefined;
  if (!resume) {
    // A checkpoint that cannot be read does not matter here: it is overwritten.
    const left = await loadCheckpoint(checkpointFile).catch(() => undefined);
    if (left !== undefined && !left.is_complete) {
      terminal.err(`beginning again; --resume would go on by ${checkpointFile}, of ${left.saved_at}`);
    }
    return undefined;
  }
  const checkpoint = await loadCheckpoint(checkpointFile);
  if (checkpoint === undefined) terminal.err(`there is no checkpoint ${checkpointFile}: from the beginning`);
  else checkIdentity(checkpointFile, checkpoint.identity, identity);
  return checkpoint;
}

async function importRows(
  options: ImportOptions,
  from: Checkpoint | undefined,
  recorder: Recorder,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { inputs, map, memberBase, access, rate } = options;
  const ledger = new Ledger(ROWS_ON_THEIR_WAY, recorder.add);
  let trouble = "";
  const delivery =
    access === undefined
      ? undefined
      : new Delivery(
          {
            ...options,
            access,
            tally: recorder.tally,
            onTrouble: (what) => {
              trouble = what;
            },
          },
          ledger,
        );
  const check = () => {
    recorder.throwIfFailed();
    delivery?.throwIfFailed();
    return recorder.pendingLines > PENDING_LINES ? recorder.save() : undefined;
  };
  const feed = new Feed({
    inputs,
    map,
    byRef: memberBase !== undefined,
    from: { input: from?.input ?? 0, rows: from?.rows ?? 0 },
    pace: rate === undefined ? undefined : new Pace(rate),
    ledger,
    delivery,
    check,
  });
  const before = recorder.tally.rows;
  const progress = new ProgressLine(terminal, "rows", () => ({
    rows: recorder.tally.rows - before,
    share: feed.share(),
    words: [describeRejected(recorder.tally), ...(trouble === "" ? [] : [trouble])].join(", "),
  }));
  try {
    await untilStopped(feed, delivery, ledger, signal);
  } finally {
    progress.end();
    await delivery?.close();
  }
}

/** After the signal, requests under way may still end; failures are not thrown then, because a resume meets them again. */
async function untilStopped(
  feed: Feed,
  delivery: Delivery | undefined,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = () => {
    ledger.release();
    stopped = delivery?.stop();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    await delivery?.begin(signal);
    await feed.run(signal);
    if (signal.aborted) return;
    await delivery?.finish();
    // Otherwise the import would be called complete, and rows without a result would be lost.
    if (ledger.size > 0) throw new Error(`the result of ${ledger.size} rows was never told`);
  } catch (error) {
    // Rows that were handed over before, such as those before an unreadable one, are still sent.
    if (!signal.aborted) stop();
    await stopped;
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await stopped;
  }
}

function adviceOf({ checkpointFile }: ImportOptions): string {
  return checkpointFile === undefined ? "" : ": the same command with --resume goes on where it was";
}

/** The error, with the number of rows that are done, and how to resume. */
function withAdvice(error: unknown, options: ImportOptions, tally: Tally): unknown {
  const cause = error instanceof UndeliveredError ? error.cause : error;
  const isExpected = cause instanceof CommandError || explainFailure(cause) !== (cause as Error)?.stack;
  if (!isExpected || tally.rows === 0) return cause;
  const rows = tally.rows.toLocaleString("en");
  // A file that cannot be read cannot be resumed, and once corrected it is another file.
  const advice = cause instanceof CommandError ? "" : adviceOf(options);
  return new CommandError(`${explainFailure(cause)} (${rows} rows are done${advice})`, {
    cause: error,
  });
}
