/** `npm start`: PostgreSQL, NATS and all services in one command (contract, section 11). */

import { readFileSync } from "node:fs";
import { identify, isRunning, type ProcessIdentity } from "#embedded";
import { reportSettings, SettingsError, StartError } from "#runtime";
import { type Standalone, startStandalone } from "./service.ts";
import { CalledOff } from "./step.ts";

const INTERRUPTED = 130;
/** A Ctrl-C reaches the whole foreground group, and npm passes on what it gets: one key, two signals. */
const ECHO_MS = 500;
/** Between two looks whether npm is still there. */
const NPM_POLL_MS = 1_000;
/** npm → sh → node; some shells replace themselves by the last command. */
const NPM_LEVELS = 3;

// A terminal that is gone, or a pipe whose reader is, must not end what drains.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const say = (message: string): void => void process.stdout.write(`stampede: ${message}\n`);

process.exit(await main());

async function main(): Promise<number> {
  const stopping = new AbortController();
  let standalone: Standalone | undefined;
  let signals = 0;
  let lastAt = 0;
  const stop = (why: string): void => {
    const now = performance.now();
    const isEcho = signals > 0 && now - lastAt < ECHO_MS;
    lastAt = now;
    if (isEcho) return;
    signals++;
    if (signals === 1) say(`${why}: stopping, what is under way is finished first`);
    if (signals === 2) say("stopping at once");
    stopping.abort();
    if (signals === 2) standalone?.hurry();
    // The guardian ends whatever still runs.
    if (signals > 2) process.exit(INTERRUPTED);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop(signal));
  const stopWatching = watchNpm(() => stop("npm ended"));
  try {
    standalone = await startStandalone({ ...reportSettings(), say, signal: stopping.signal });
    process.stdout.write(standalone.block);
    const failure = await Promise.race([standalone.failed, aborted(stopping.signal)]);
    if (failure) complain(failure);
    stopWatching();
    await standalone.stop();
    say("stopped");
    return failure ? 1 : 0;
  } catch (error) {
    if (error instanceof CalledOff) {
      say("stopped");
      return 0;
    }
    complain(error);
    return 1;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined));
  });
}

/** One line for what the operator can mend; everything for what only we can. */
function complain(error: unknown): void {
  const isExplained = error instanceof StartError || error instanceof SettingsError;
  const text = isExplained
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`stampede: ${text}\n`);
}

/**
 * Calls back once the `npm` that started this process is gone: killed, it takes its terminal's Ctrl-C with it, and what
 * it started would run on unseen. Nothing to watch when npm did not start it. Returns how to stop watching.
 */
function watchNpm(onGone: () => void, env: NodeJS.ProcessEnv = process.env): () => void {
  if (env.npm_lifecycle_event === undefined) return () => {};
  const parentPid = process.ppid;
  const npm = findNpm();
  const timer = setInterval(() => {
    if (process.ppid === parentPid && (npm === undefined || isRunning(npm))) return;
    clearInterval(timer);
    onGone();
  }, NPM_POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The nearest process above us that calls itself npm (it sets its title to "npm start"); Linux only. */
function findNpm(): ProcessIdentity | undefined {
  let pid = process.ppid;
  for (let level = 0; level < NPM_LEVELS && pid > 1; level++) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (/\(npm/.test(stat)) return identify(pid);
      pid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    } catch {
      return undefined;
    }
  }
  return undefined;
}
