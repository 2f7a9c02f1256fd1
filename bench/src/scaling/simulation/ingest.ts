import { LIMITS } from "#contract";
import { type Load, microsOf, type PartName } from "../costs.ts";
import { BATCH_TURN_MS } from "../turns.ts";
import type { Message } from "./edge.ts";
import type { Clock, Machines, Thread } from "./host.ts";
import type { Nats } from "./nats.ts";
import type { SimulationSetting } from "./setting.ts";

interface Queued {
  readonly partition: number;
  readonly message: Message;
}

/** What a lane has done with a batch, one step after the other. */
interface LaneWork {
  /** Hash, decide, write: `done` when it is committed. */
  handle(events: number, done: () => void): void;
  /** What comes of it, beside the next batch: `done` when it is stored. */
  publish(events: number, done: () => void): void;
}

/**
 * One writer of an ingest process, as `ConsumerLoop` of packages/nats: one batch at a time, small ones at least
 * `BATCH_TURN_MS` apart, and no more of a partition than `messagesAhead` messages under way.
 */
export class IngestLane {
  readonly #clock: Clock;
  readonly #work: LaneWork;
  readonly #queue: Queued[] = [];
  /** Stored, and held back by the server. */
  readonly #held = new Map<number, Message[]>();
  readonly #pending = new Map<number, number>();
  #isRunning = false;
  #isPublishing = false;
  #afterPublishing: (() => void) | undefined;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  batches = 0;

  constructor(clock: Clock, work: LaneWork) {
    this.#clock = clock;
    this.#work = work;
  }

  offer(partition: number, message: Message): void {
    const pending = this.#pending.get(partition) ?? 0;
    if (pending >= LIMITS.messagesAhead) {
      const held = this.#held.get(partition);
      if (held === undefined) this.#held.set(partition, [message]);
      else held.push(message);
      return;
    }
    this.#pending.set(partition, pending + 1);
    this.#queue.push({ partition, message });
    if (!this.#isRunning) this.#gather();
  }

  #gather(): void {
    if (this.#queue.length === 0) {
      this.#isRunning = false;
      return;
    }
    this.#isRunning = true;
    const rows = this.#queue.reduce((sum, { message }) => sum + message.events, 0);
    const waitMs = this.#lastStartMs + BATCH_TURN_MS - this.#clock.nowMs;
    this.#clock.after(waitMs > 0 && rows < LIMITS.rowsPerBatch / 2 ? waitMs : 0, () => this.#begin());
  }

  #begin(): void {
    this.#lastStartMs = this.#clock.nowMs;
    const batch = this.#take();
    const events = batch.reduce((sum, { message }) => sum + message.events, 0);
    this.batches++;
    this.#work.handle(events, () => {
      for (const { message } of batch) answer(message);
      this.#whenPublished(() => this.#publish(batch, events));
    });
  }

  /** One batch may be publishing beside the one that is handled, not two. */
  #whenPublished(next: () => void): void {
    if (this.#isPublishing) this.#afterPublishing = next;
    else next();
  }

  #publish(batch: readonly Queued[], events: number): void {
    this.#isPublishing = true;
    this.#work.publish(events, () => {
      for (const { partition } of batch) this.#acknowledge(partition);
      this.#isPublishing = false;
      const next = this.#afterPublishing;
      this.#afterPublishing = undefined;
      next?.();
    });
    this.#gather();
  }

  #acknowledge(partition: number): void {
    this.#pending.set(partition, (this.#pending.get(partition) as number) - 1);
    const next = this.#held.get(partition)?.shift();
    if (next !== undefined) this.offer(partition, next);
  }

  #take(): Queued[] {
    let rows = 0;
    let count = 0;
    for (const { message } of this.#queue) {
      rows += message.events;
      if (count > 0 && rows > LIMITS.rowsPerBatch) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }
}

function answer(message: Message): void {
  for (const { request, events } of message.slices) {
    request.open -= events;
    if (request.open === 0) request.answered();
  }
}

const FOLLOWERS = ["platform", "rewards", "webhooks"] as const;

/** Those that work through what ingest publishes; nobody waits for them, but they take CPU time. */
export class Followers {
  readonly #setting: SimulationSetting;
  readonly #threads: { readonly part: PartName; readonly threads: readonly Thread[] }[] = [];
  #next = 0;

  constructor(setting: SimulationSetting, machines: Machines) {
    this.#setting = setting;
    const { followers, machines: given } = setting.topology;
    const processCores = given.kind === "apart" ? given.processCores : 0;
    const shardCores = given.kind === "apart" ? given.shardCores : 0;
    const numbers = Array.from({ length: followers }, (_, number) => number);
    for (const part of FOLLOWERS) {
      const database: PartName = `${part} database`;
      this.#threads.push(
        { part, threads: numbers.map((at) => machines.thread(part, `${part} ${at}`, processCores)) },
        {
          part: database,
          threads: numbers.map((at) => machines.thread(database, `${database} ${at}`, shardCores)),
        },
      );
    }
  }

  take(load: Load): void {
    this.#next++;
    for (const { part, threads } of this.#threads) {
      const thread = threads[this.#next % threads.length] as Thread;
      thread.do(microsOf(this.#setting.costs.parts[part], load) / 1000);
    }
  }
}

/** Threads that one lane of an ingest process uses; the first two are shared by its lanes. */
interface LaneThreads {
  readonly main: Thread;
  readonly rest: Thread;
  /** A backend on each shard. */
  readonly backends: readonly Thread[];
  /** What serves all backends there, by shard. */
  readonly backgrounds: readonly Thread[];
}

export function laneWork(
  { costs, matchedShare }: SimulationSetting,
  clock: Clock,
  { main, rest, backends, backgrounds }: LaneThreads,
  { followers, nats }: { readonly followers: Followers; readonly nats: Nats },
): LaneWork {
  const { ingest } = costs.parts;
  const loadOf = (events: number): Load => ({ event: events, batch: 1, match: events * matchedShare });
  return {
    handle(events, done) {
      const load = loadOf(events);
      const workMs = microsOf(ingest, load) / 1000;
      let left = backends.length;
      const committed = (): void => {
        left--;
        if (left === 0) clock.after(costs.syncMs, done);
      };
      const write = (): void => {
        for (const [at, backend] of backends.entries()) {
          // Each shard is asked, with its part of the rows.
          const share = { ...loadOf(events / backends.length), batch: 1 };
          backend.do(microsOf(costs.parts["ingest database"], share) / 1000, committed);
          backgrounds[at]?.do(microsOf(costs.parts["database background"], share) / 1000);
        }
      };
      rest.do(workMs * (1 - ingest.mainShare), () => main.do(workMs * ingest.mainShare, write));
    },
    publish(events, done) {
      followers.take(loadOf(events));
      nats.storeRecords(done);
    },
  };
}
