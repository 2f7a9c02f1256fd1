import { microsOf } from "../costs.ts";
import type { Clock, Machines, Thread } from "./host.ts";
import type { SimulationSetting } from "./setting.ts";

/**
 * The ingest streams. Each is written by one thread on each node that has a copy of it, and every message is synced before
 * the next one of its stream; it is stored when most copies are.
 */
export class Nats {
  readonly #setting: SimulationSetting;
  readonly #clock: Clock;
  readonly #copies: Thread[][];
  /** Until when each stream's disk is busy, by stream and copy. */
  readonly #syncedMs: number[][];
  /** Of PLATFORM_TX, which all batches of all processes share: its disk is busy until then. */
  #linkSyncedMs = 0;
  messages = 0;

  constructor(setting: SimulationSetting, clock: Clock, machines: Machines) {
    this.#setting = setting;
    this.#clock = clock;
    const { partitions, natsNodes, replicas, machines: given } = setting.topology;
    const cores = given.kind === "apart" ? given.natsCores : 0;
    const numbers = Array.from({ length: replicas }, (_, copy) => copy);
    this.#copies = Array.from({ length: partitions }, (_, stream) =>
      numbers.map((copy) => machines.thread("nats", `nats ${(stream + copy) % natsNodes}`, cores)),
    );
    this.#syncedMs = this.#copies.map((copies) => copies.map(() => 0));
  }

  store(stream: number, events: number, matches: number, stored: () => void): void {
    this.messages++;
    const { costs } = this.#setting;
    const workMs = microsOf(costs.parts.nats, { event: events, message: 1, match: matches }) / 1000;
    const copies = this.#copies[stream] as Thread[];
    const majority = Math.floor(copies.length / 2) + 1;
    let synced = 0;
    for (const [copy, thread] of copies.entries()) {
      thread.do(workMs, () => {
        this.#sync(stream, copy, () => {
          synced++;
          if (synced === majority) stored();
        });
      });
    }
  }

  /** What a batch makes; its CPU time is in that of the messages (see `PARTS`). */
  storeRecords(stored: () => void): void {
    this.#linkSyncedMs = Math.max(this.#clock.nowMs, this.#linkSyncedMs) + this.#setting.costs.syncMs;
    this.#clock.after(this.#linkSyncedMs - this.#clock.nowMs, stored);
  }

  #sync(stream: number, copy: number, done: () => void): void {
    const syncedMs = this.#syncedMs[stream] as number[];
    const endMs = Math.max(this.#clock.nowMs, syncedMs[copy] as number) + this.#setting.costs.syncMs;
    syncedMs[copy] = endMs;
    this.#clock.after(endMs - this.#clock.nowMs, done);
  }
}
