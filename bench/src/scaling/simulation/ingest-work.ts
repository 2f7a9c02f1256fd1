import { type Load, microsOf, type PartName } from "../cost-model.ts";
import type { Clock } from "./clock.ts";
import type { Thread } from "./host.ts";
import type { LaneWork } from "./ingest-lane.ts";
import type { Machines } from "./machines.ts";
import type { Nats } from "./nats.ts";
import type { SimulationSetting } from "./setting.ts";

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
export interface LaneThreads {
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
