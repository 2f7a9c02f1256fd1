import { setTimeout as delay } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Environment, readSettings } from "#runtime";
import { Change, type Observation, observe, type ReadySource, readHops, readReplays, Targets } from "#status";
import { untilInterrupted } from "../interrupted.ts";
import { readDuration } from "../option-values.ts";
import { findRunningInstance } from "../running-instance.ts";
import { opsUrlOf } from "../servers.ts";
import { faultsOf, type Status, statusLines } from "../status/status-table.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

interface Flags {
  readonly ops: readonly string[];
  readonly watch: boolean;
  readonly interval: number;
  readonly json: boolean;
}

export function addStatusCommand(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("status")
    .description(
      "print a line for each hop: rate, lag, age of the oldest, errors, owners; exits with 1 if a hop is not ready",
    )
    .addOption(
      new Option(
        "--ops <url...>",
        "operations addresses of all processes (default: the running instance's, or STAMPEDE_CONSOLE_OPS_URLS)",
      )
        .default([], "")
        .argParser(readUrl),
    )
    .option("--watch", "repeat until Ctrl-C", false)
    .addOption(
      new Option("--interval <duration>", "the time over which rates are measured")
        .default(1000, "1s")
        .argParser(readInterval),
    )
    .option("--json", "one JSON object, with --watch one a line", false)
    .action(async ({ ops, watch, interval, json }: Flags) => {
      const urls = ops.length > 0 ? [...new Set(ops)] : addressesOf(env);
      const signal = watch ? untilInterrupted() : undefined;
      if (!(await showStatus({ urls, intervalMs: interval, json }, terminal, signal))) exit(1);
    });
}

function readUrl(text: string, given: readonly string[]): string[] {
  if (!URL.canParse(text) || !/^http:\/\//i.test(text)) {
    throw new InvalidArgumentError("It is an address such as http://127.0.0.1:9464.");
  }
  return [...given, new URL(text).origin];
}

const SHORTEST_MS = 100;

function readInterval(text: string): number {
  const ms = readDuration(text);
  if (ms >= SHORTEST_MS) return ms;
  throw new InvalidArgumentError(`It is at least ${SHORTEST_MS}ms.`);
}

/** Those of the running instance; else those of all processes, if the console's settings name them; else this environment's. */
function addressesOf(env: Environment): readonly string[] {
  const settings = readSettings(env);
  const { dataDir, consoleOpsUrls } = settings;
  const running = findRunningInstance(dataDir)?.opsUrl;
  if (running !== undefined) return [running];
  return consoleOpsUrls.length > 0 ? consoleOpsUrls : [opsUrlOf(settings)];
}

/**
 * Observes twice and shows the rates; with a signal, again and again until it aborts.
 * @returns whether everything was ready at the last observation
 */
export async function showStatus(
  { urls, intervalMs, json }: { urls: readonly string[]; intervalMs: number; json: boolean },
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<boolean> {
  const targets = new Targets(urls);
  let before = await observe(targets);
  for (;;) {
    await delay(intervalMs, undefined, signal && { signal }).catch(() => {});
    const now = await observe(targets);
    const status = statusOf(before, now);
    if (json) terminal.out(JSON.stringify(status));
    else showTable(status, terminal, signal !== undefined);
    if (signal === undefined || signal.aborted) return status.ready;
    before = now;
  }
}

function statusOf(before: Observation, now: Observation<ReadySource>): Status {
  const change = new Change(before, now);
  const hops = readHops(change);
  const faults = faultsOf(now, hops);
  const replays = readReplays(change);
  return { ready: faults.length === 0, at: new Date().toISOString(), hops, replays, faults };
}

/** Moves the cursor home and clears all after it, so that the table stays in its place and does not flicker. */
const FROM_THE_TOP = "\x1b[H\x1b[J";

function showTable(status: Status, terminal: Terminal, isWatching: boolean): void {
  const lines = statusLines(status);
  const start = isWatching && terminal.isOutTerminal ? FROM_THE_TOP : "";
  terminal.out(start + lines.join("\n"));
  if (isWatching && !terminal.isOutTerminal) terminal.out("");
}
