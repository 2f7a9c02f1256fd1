import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "./start-error.ts";

/** Doubles with each attempt in vain, up to `LONGEST_PAUSE_MS`. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** How often the same reason is told again, to show a terminal and a log that the process still waits. */
const SAY_AGAIN_MS = 30_000;
/** Bounds one attempt, even if a server never answers. The steps of an attempt have shorter time-outs. */
const ATTEMPT_MS = 60_000;

interface Patience {
  /** Ends the wait; the signal's reason is thrown. */
  readonly signal: AbortSignal;
  /** Called with the reason for waiting: at first, when it changes, and from time to time. */
  readonly onWait: (reason: string) => void;
  /**
   * After this many milliseconds without an answer the attempt is abandoned and another one made. Absent:
   * never, because the attempt may be long work.
   */
  readonly attemptMs?: number;
}

/**
 * Tries until it works: a server that is away comes back by itself, and ending the process would not help.
 * @param passes whether an error may go away by itself; any other error is thrown at once
 */
export async function untilServed<T>(
  attempt: () => Promise<T>,
  passes: (error: unknown) => boolean,
  { signal, onWait, attemptMs }: Patience,
): Promise<T> {
  let said = "";
  let saidAt = Number.NEGATIVE_INFINITY;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await withinReach(attempt(), signal, attemptMs);
    } catch (error) {
      if (signal.aborted || !passes(error)) throw error;
      const reason = reasonOf(error);
      if (reason !== said || performance.now() - saidAt >= SAY_AGAIN_MS) {
        said = reason;
        saidAt = performance.now();
        onWait(reason);
      }
    }
    // Random, so that many processes do not all try at the same moment.
    await delay(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Stops waiting for an attempt that is under way when the process is told to stop. */
async function withinReach<T>(attempt: Promise<T>, signal: AbortSignal, attemptMs?: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    if (attemptMs === undefined) return;
    const late = new StartError("no_answer", `no answer within ${attemptMs / 1000} s`, { passes: true });
    timer = setTimeout(() => reject(late), attemptMs);
  });
  try {
    return await Promise.race([attempt, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** One line. A connection tried at several addresses fails without a message; its code says enough. */
function reasonOf(error: unknown): string {
  const { message = "", code } = error as NodeJS.ErrnoException;
  return message === "" ? (code ?? "it does not answer") : (message.split("\n")[0] as string);
}

/** What a process that has not started yet waits for, as its readiness, its log and its parent show it. */
export class Waiting {
  readonly #signal: AbortSignal;
  readonly #tell: (what: string, reason: string) => void;
  readonly #now = new Map<string, string>();
  readonly #kinds = new Set<(error: unknown) => boolean>();

  /** @param tell called at first, when the reason changes, and from time to time */
  constructor(signal: AbortSignal, tell: (what: string, reason: string) => void) {
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Such as `PostgreSQL (connect ECONNREFUSED 127.0.0.1:5432)`; undefined if it waits for nothing. */
  get described(): string | undefined {
    if (this.#now.size === 0) return undefined;
    return [...this.#now].map(([what, reason]) => `${what} (${reason})`).join(", ");
  }

  /** Whether this is a fault of something that is being waited for, or was: it may have gone away again. */
  passes(error: unknown): boolean {
    return [...this.#kinds].some((passes) => passes(error));
  }

  /** `untilServed`, shown as a wait for `what`, such as "NATS". */
  async until<T>(what: string, attempt: () => Promise<T>, passes: (error: unknown) => boolean): Promise<T> {
    this.#kinds.add(passes);
    const onWait = (reason: string) => {
      this.#now.set(what, reason);
      this.#tell(what, reason);
    };
    try {
      return await untilServed(attempt, passes, {
        signal: this.#signal,
        onWait,
        attemptMs: ATTEMPT_MS,
      });
    } finally {
      this.#now.delete(what);
    }
  }
}
