import { readFileSync } from "node:fs";
import { identify, isRunning, type ProcessIdentity } from "#embedded";

const POLL_MS = 1_000;
/** npm → sh → node; some shells replace themselves by the last command. */
const LEVELS = 3;

/**
 * Calls back once the `npm` that started this process is gone: killed, it takes its terminal's Ctrl-C with it, and what
 * it started would run on unseen. Nothing to watch when npm did not start it. Returns how to stop watching.
 */
export function watchNpm(onGone: () => void, env: NodeJS.ProcessEnv = process.env): () => void {
  if (env.npm_lifecycle_event === undefined) return () => {};
  const parentPid = process.ppid;
  const npm = findNpm();
  const timer = setInterval(() => {
    if (process.ppid === parentPid && (npm === undefined || isRunning(npm))) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The nearest process above us that calls itself npm (it sets its title to "npm start"); Linux only. */
function findNpm(): ProcessIdentity | undefined {
  let pid = process.ppid;
  for (let level = 0; level < LEVELS && pid > 1; level++) {
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
