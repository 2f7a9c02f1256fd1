import type { PartName } from "../costs.ts";
import type { SimulationSetting } from "./setting.ts";

interface Due {
  readonly atMs: number;
  /** What is due at one moment happens in the order in which it was asked for. */
  readonly order: number;
  readonly happen: () => void;
}

/** Simulated time: things happen in order of their moments, and nothing else makes time pass. */
export class Clock {
  #nowMs = 0;
  #order = 0;
  /** A binary heap, the first due at its top. */
  readonly #heap: Due[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, happen: () => void): void {
    const due = { atMs: this.#nowMs + delayMs, order: this.#order++, happen };
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(due, heap[parent] as Due)) break;
      heap[at] = heap[parent] as Due;
      at = parent;
    }
    heap[at] = due;
  }

  run(untilMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#removeFirst();
      this.#nowMs = next.atMs;
      next.happen();
    }
    this.#nowMs = untilMs;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Due;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
      if (!isBefore(heap[child] as Due, last)) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

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
    if (!this.#isBusy && this.#queue.length > this.#head) this.#begin();
  }

  #begin(): void {
    this.#isBusy = true;
    this.#host.begin(this, (this.#queue[this.#head] as Work).workMs);
  }
}

/** Too little for what runs there with nothing to do: nothing would ever end. */
const CORES_MIN = 0.05;

/** Places the threads of all parts on machines, and adds up what they did. */
export class Machines {
  readonly #setting: SimulationSetting;
  readonly #clock: Clock;
  readonly #hosts = new Map<string, Host>();
  readonly #threads = new Map<PartName | "generator", Thread[]>();

  constructor(setting: SimulationSetting, clock: Clock) {
    this.#setting = setting;
    this.#clock = clock;
  }

  /**
   * @param machine which of the machines of this kind; on a shared one it says nothing
   * @param cores what such a machine has
   */
  thread(part: PartName | "generator", machine: string, cores: number): Thread {
    const { machines } = this.#setting.topology;
    const host =
      machines.kind === "shared"
        ? this.#host("all", machines.cores - this.#idleCores())
        : this.#host(machine, cores);
    const thread = host.thread();
    const threads = this.#threads.get(part);
    if (threads === undefined) this.#threads.set(part, [thread]);
    else threads.push(thread);
    return thread;
  }

  /** Milliseconds of CPU time that each part was given so far. */
  worked(): Map<string, number> {
    return new Map(
      [...this.#threads].map(([part, threads]) => [
        part,
        threads.reduce((sum, one) => sum + one.workedMs, 0),
      ]),
    );
  }

  #host(name: string, cores: number): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host = new Host(this.#clock, Math.max(CORES_MIN, cores));
    this.#hosts.set(name, host);
    return host;
  }

  /** What all processes take with nothing to do is taken from the cores once. */
  #idleCores(): number {
    return Object.values(this.#setting.costs.parts).reduce((sum, { idleCores }) => sum + idleCores, 0);
  }
}
