/** `npm start`: PostgreSQL, NATS and all services in one command (contract, section 11). */

import { once } from "node:events";
import { identify, isRunning, type ProcessIdentity, readStat } from "#embedded";
import { reportSettings, SettingsError, StartError } from "#runtime";
import { type Standalone, startStandalone } from "./service.ts";
import { CalledOff } from "./step.ts";

const INTERRUPTED = 130;
/**
 * Ctrl-C reaches the whole foreground group, and npm passes on the signal that it gets: one key press, two
 * signals within this time.
 */
const ECHO_MS = 500;
/** How often to look whether npm is still there. */
const NPM_POLL_MS = 1_000;
/** npm → sh → node; some shells replace themselves with the last command. */
const NPM_LEVELS = 3;

// A closed terminal, or a pipe whose reader is gone, must not end a process that drains.
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
    // The guardian ends everything that still runs.
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

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, "abort");
}

/** Writes one line about something that the operator can mend, and everything about a fault of ours. */
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
 * Calls back once the `npm` that started this process is gone. If npm is killed, the terminal's Ctrl-C does
 * not reach this process any more, which would run on unseen. Does nothing if npm did not start it. Returns
 * the function that ends the watch.
 */
function watchNpm(onGone: () => void): () => void {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
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

/**
 * The nearest process above this one that calls itself npm (it sets its title to "npm start"); Linux only.
 */
function findNpm(): ProcessIdentity | undefined {
  let pid = process.ppid;
  for (let level = 0; level < NPM_LEVELS && pid > 1; level++) {
    const stat = readStat(pid);
    if (stat === undefined) return undefined;
    if (stat.name.startsWith("npm")) return identify(pid);
    pid = Number(stat.fields[1]);
  }
  return undefined;
}
