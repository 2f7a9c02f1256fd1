import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "./start-error.ts";

/** Doubled with each attempt in vain, up to the second. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** The same reason is said again this often: a terminal and a log should show that nobody has forgotten it. */
const SAY_AGAIN_MS = 30_000;
/** For one question of a process that waits, though a server swallows it; what it consists of has shorter time-outs. */
const ATTEMPT_MS = 60_000;

export interface Patience {
  /** Ends the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Is told why nothing goes on: at first, when the reason changes, and now and then. */
  readonly onWait: (reason: string) => void;
  /** After which an attempt without an answer is left alone and another one made. Absent: none is, it may be long work. */
  readonly attemptMs?: number;
}

/**
 * Tries until it works, for ever: a server that is away comes back by itself, and a process that ends because of it helps
 * nobody.
 * @param passes whether an error is of the kind that passes. What does not is thrown at once.
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
    // Not all of a fleet at the same moment.
    await delay(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Whoever is told to stop does not wait for the attempt that is under way. */
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

/** One line. A connection that was tried at several addresses has no message, and the code says enough. */
function reasonOf(error: unknown): string {
  const { message = "", code } = error as NodeJS.ErrnoException;
  return message === "" ? (code ?? "it does not answer") : (message.split("\n")[0] as string);
}

/** What a process that is not up yet waits for, as its readiness, its log and whoever started it are told. */
export class Waiting {
  readonly #signal: AbortSignal;
  readonly #tell: (what: string, reason: string) => void;
  readonly #now = new Map<string, string>();
  readonly #kinds = new Set<(error: unknown) => boolean>();

  /** @param tell at first, when the reason changes, and now and then */
  constructor(signal: AbortSignal, tell: (what: string, reason: string) => void) {
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Such as `PostgreSQL (connect ECONNREFUSED 127.0.0.1:5432)`; undefined: for nothing. */
  get described(): string | undefined {
    if (this.#now.size === 0) return undefined;
    return [...this.#now].map(([what, reason]) => `${what} (${reason})`).join(", ");
  }

  /** Whether this is a fault of something that is or was waited for, which may have gone away again since. */
  passes(error: unknown): boolean {
    return [...this.#kinds].some((passes) => passes(error));
  }

  /** `untilServed`, told as a wait for `what`, such as "NATS". */
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
