import { cpus } from "node:os";

/** Files that run at any time, also on a busy machine. */
const ALWAYS = 2;
/** Each file may have its own pipeline: six processes, and the sessions of all of them in PostgreSQL. */
const MOST = 6;
/** Another file begins if this much of a core was idle since the last look. With 0.4 a run left 15 % of two cores idle. */
const IDLE_CORES = 0.15;
const LOOK_MS = 1_000;

/**
 * Decides whether another test file may begin. Files that wait leave room for others; only their run shows
 * which do.
 */
export class Concurrency {
  #since = performance.now();
  #idleMs = idleMs();

  /** @param running how many files run now */
  allowsAnother(running: number): boolean {
    const ms = performance.now() - this.#since;
    if (running >= ALWAYS && ms < LOOK_MS) return false;
    const cores = (idleMs() - this.#idleMs) / ms;
    // The next look must see the file that begins now.
    this.#since = performance.now();
    this.#idleMs = idleMs();
    return running < ALWAYS || (running < MOST && cores >= IDLE_CORES);
  }
}

/** The idle time of all cores, since the machine started. */
export const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);
