import { setTimeout as delay } from "node:timers/promises";
import type { Exit } from "#embedded";
import { StartError } from "#runtime";
import { CalledOff, type Say } from "./step.ts";

/** A child process that is up: an embedded server or a service. */
export interface Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface SupervisedOptions<T extends Running> {
  readonly name: string;
  /** Must give the same address each time: the others keep the one they know. The signal calls the start off. */
  readonly start: (signal: AbortSignal) => Promise<T>;
  readonly say: Say;
  readonly onRestart: () => void;
  /** Called once, with a line that says what to do, when restarting makes no sense any more. */
  readonly onGiveUp: (error: StartError) => void;
  /** Where to look; part of that line. */
  readonly logFile: string;
}

/** Five ends within a minute are no accident. The waits between the first four starts make 3 s (200, 400, 800, 1600 ms). */
const DEATHS = 5;
const DEATHS_WITHIN_MS = 60_000;
const FIRST_DELAY_MS = 200;

/** Keeps one child running until it is told to stop. */
export class Supervised<T extends Running> {
  readonly #options: SupervisedOptions<T>;
  readonly #stopping = new AbortController();
  #current: T | undefined;
  #deaths: number[] = [];
  #watch: Promise<void> = Promise.resolve();

  constructor(options: SupervisedOptions<T>) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** The child, unless it has ended and is not back yet. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The first start: a failure is the caller's, nothing is tried again. */
  async start(): Promise<T> {
    const child = await this.#options.start(this.#stopping.signal);
    this.#current = child;
    this.#watch = this.#keepRunning(child);
    return child;
  }

  /** From now on nothing is started again, and a start that is under way is called off. */
  callOff(): void {
    this.#stopping.abort(new CalledOff());
  }

  /** Ends the child for good, in its orderly way. */
  async stop(): Promise<void> {
    this.callOff();
    await this.#current?.stop();
    await this.#watch; // a restart that was under way has seen the abort and stopped what it started
  }

  /** For a stop in a hurry: what is still running ends now. */
  kill(): void {
    this.#current?.kill("SIGKILL");
  }

  async #keepRunning(first: T): Promise<void> {
    let child: T | undefined = first;
    while (child) {
      const { code, signal } = await child.exited;
      this.#current = undefined;
      if (this.#stopping.signal.aborted) return;
      child = await this.#restart(signal === null ? `exited with ${code}` : `was ended by ${signal}`);
    }
  }

  async #restart(how: string): Promise<T | undefined> {
    const { name, say, logFile, onRestart, onGiveUp } = this.#options;
    let why = how;
    while (this.#mayTryAgain()) {
      const waitMs = FIRST_DELAY_MS * 2 ** (this.#deaths.length - 1);
      say(`${name} ${why}; starting it again in ${waitMs} ms`);
      onRestart();
      try {
        await delay(waitMs, undefined, { signal: this.#stopping.signal });
        const child = await this.#options.start(this.#stopping.signal);
        this.#current = child;
        if (!this.#stopping.signal.aborted) {
          say(`${name} is back (process ${child.pid})`);
          return child;
        }
        await child.stop();
        return undefined;
      } catch (error) {
        if (this.#stopping.signal.aborted) return undefined;
        why = `did not start (${(error as Error).message})`;
      }
    }
    const end = `${name} ended ${DEATHS} times within a minute and is given up; it ${why}; see ${logFile}`;
    onGiveUp(new StartError("child_given_up", end));
    return undefined;
  }

  #mayTryAgain(): boolean {
    const now = Date.now();
    this.#deaths = [...this.#deaths.filter((death) => now - death < DEATHS_WITHIN_MS), now];
    return this.#deaths.length < DEATHS;
  }
}
