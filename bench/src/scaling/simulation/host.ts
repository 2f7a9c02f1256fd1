import type { Clock } from "./clock.ts";

/**
 * Cores that threads share evenly, as a kernel does: each that has something to do gets a core, or its share of them when
 * there are fewer. Work is counted in milliseconds of CPU time.
 */
export class Host {
  readonly cores: number;
  readonly #clock: Clock;
  readonly #active = new Set<Thread>();
  /** CPU time that every active thread has got so far; it runs slower than the clock when there are too few cores. */
  #got = 0;
  #updatedMs = 0;
  #plan = 0;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.cores = cores;
  }

  thread(): Thread {
    return new Thread(this);
  }

  /** Of a thread, when it begins with a piece of work. */
  begin(thread: Thread, workMs: number): void {
    this.#update();
    thread.doneAt = this.#got + workMs;
    this.#active.add(thread);
    this.#planNext();
  }

  #speed(): number {
    return Math.min(1, this.cores / this.#active.size);
  }

  #update(): void {
    if (this.#active.size > 0) this.#got += (this.#clock.nowMs - this.#updatedMs) * this.#speed();
    this.#updatedMs = this.#clock.nowMs;
  }

  #planNext(): void {
    const plan = ++this.#plan;
    let first: Thread | undefined;
    for (const thread of this.#active)
      if (first === undefined || thread.doneAt < first.doneAt) first = thread;
    if (first === undefined) return;
    const next = first;
    this.#clock.after(Math.max(0, next.doneAt - this.#got) / this.#speed(), () => {
      if (plan !== this.#plan) return;
      this.#update();
      this.#active.delete(next);
      next.finish();
      this.#planNext();
    });
  }
}

interface Work {
  readonly workMs: number;
  readonly done: () => void;
}

/** Does one thing after the other. */
export class Thread {
  /** For its host: the CPU time at which the work under way is done. */
  doneAt = 0;
  /** Milliseconds of CPU time that it was given to do. */
  workedMs = 0;
  readonly #host: Host;
  #queue: Work[] = [];
  #head = 0;
  #isBusy = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Pieces that wait for their turn. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  do(workMs: number, done: () => void = () => {}): void {
    this.workedMs += workMs;
    this.#queue.push({ workMs, done });
    if (!this.#isBusy) this.#begin();
  }

  finish(): void {
    const { done } = this.#queue[this.#head++] as Work;
    this.#isBusy = false;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    done();
    if (!this.#isBusy && this.waiting > 0) this.#begin();
  }

  #begin(): void {
    this.#isBusy = true;
    this.#host.begin(this, (this.#queue[this.#head] as Work).workMs);
  }
}
