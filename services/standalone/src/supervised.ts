import { setTimeout as delay } from "node:timers/promises";
import type { Exit } from "#embedded";
import { StartError } from "#runtime";
import { CalledOff, type Say } from "./step.ts";

/** A running child process: an embedded server or a service. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface SupervisedOptions<T extends Running> {
  readonly name: string;
  /**
   * Must give the same address each time, because the others keep the one they know. The signal calls the
   * start off. `begun` is called with a process that is there but may take long to be ready.
   */
  readonly start: (signal: AbortSignal, begun: (child: T) => void) => Promise<T>;
  /**
   * Whether an end, or a failed start, counts as the child's own fault; most are the fault of something else.
   */
  readonly isOwnFault: (end: Exit | Error) => boolean;
  readonly say: Say;
  readonly onRestart: () => void;
  /** Called once, with a line that says what to do, when restarting makes no sense any more. */
  readonly onGiveUp: (error: StartError) => void;
  /** The log file, which that line names. */
  readonly logFile: string;
  /** The pause before a start, for tests. Left out: a timer. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** After five faults of its own within a minute, a child will not recover by being started again. */
const FAULTS = 5;
/**
 * The wait before a start depends on the ends within the last minute: 200, 400, 800, 1600, 3200 ms, then 5 s
 * each time.
 */
const WITHIN_MS = 60_000;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

/**
 * Keeps one child running until it is told to stop. A child that ends because of something else (a signal, a
 * server that is away) is started again for ever: the machine heals by itself, and giving up would need a
 * person. Only a child that fails by its own fault, again and again, is given up.
 */
export class Supervised<T extends Running> {
  readonly #options: SupervisedOptions<T>;
  readonly #stopping = new AbortController();
  #current: T | undefined;
  #ends: number[] = [];
  #faults: number[] = [];
  #watch: Promise<void> = Promise.resolve();

  constructor(options: SupervisedOptions<T>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** The child; undefined if it has ended and is not back yet. It may not be ready. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The first start: if it fails, the error goes to the caller, and nothing is tried again. */
  async start(): Promise<T> {
    const child = await this.#startOnce();
    this.#watch = this.#keepRunning(child);
    return child;
  }

  /** From now on nothing is started again, and a start under way is called off. */
  callOff(): void {
    this.#stopping.abort(new CalledOff());
  }

  /** Ends the child for good, in order. */
  async stop(): Promise<void> {
    this.callOff();
    await this.#current?.stop();
    await this.#watch; // a restart that was under way has seen the abort and stopped what it started
  }

  /** For a stop in a hurry: kills what still runs. */
  kill(): void {
    this.#current?.kill("SIGKILL");
  }

  async #startOnce(): Promise<T> {
    const begun = (child: T) => {
      this.#current = child;
    };
    try {
      const child = await this.#options.start(this.#stopping.signal, begun);
      this.#current = child;
      return child;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #keepRunning(first: T): Promise<void> {
    let child: T | undefined = first;
    while (child) {
      const exit = await child.exited;
      this.#current = undefined;
      if (this.#stopping.signal.aborted) return;
      child = await this.#restart(exit);
    }
  }

  async #restart(exit: Exit): Promise<T | undefined> {
    const { name, say, logFile, onRestart, onGiveUp, pause = sleep } = this.#options;
    let how = exit.signal === null ? `exited with ${exit.code}` : `was ended by ${exit.signal}`;
    for (let end: Exit | Error = exit; !this.#isHopeless(end); ) {
      const waitMs = this.#pace();
      say(`${name} ${how}; starting it again in ${waitMs} ms`);
      onRestart();
      try {
        await pause(waitMs, this.#stopping.signal);
        const child = await this.#startOnce();
        if (!this.#stopping.signal.aborted) {
          say(`${name} is back (process ${child.pid})`);
          return child;
        }
        await child.stop();
        return undefined;
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined;
        end = error as Error;
        how = `did not start (${end.message})`;
      }
    }
    const why = `${name} ended ${FAULTS} times within a minute by its own fault and is given up; it ${how}; see ${logFile}`;
    onGiveUp(new StartError("child_given_up", why));
    return undefined;
  }

  #isHopeless(end: Exit | Error): boolean {
    if (!this.#options.isOwnFault(end)) return false;
    this.#faults = lastMinute([...this.#faults, performance.now()]);
    return this.#faults.length >= FAULTS;
  }

  #pace(): number {
    this.#ends = lastMinute([...this.#ends, performance.now()]);
    return Math.min(FIRST_DELAY_MS * 2 ** (this.#ends.length - 1), LONGEST_DELAY_MS);
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });

function lastMinute(times: readonly number[]): number[] {
  const now = performance.now();
  return times.filter((time) => now - time < WITHIN_MS);
}
