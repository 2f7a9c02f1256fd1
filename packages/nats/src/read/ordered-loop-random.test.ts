import { setTimeout as delay } from "node:timers/promises";
import { headers } from "@nats-io/transport-node";
import t from "tap";
import { FLOW, HEADERS } from "#contract";
import { SeededRandom } from "#domain";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "../connection/connect.ts";
import { readStreamState } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import type { ReadFrom, StreamMessage } from "./message.ts";
import { LostPartitions, UnpublishedPartitions } from "./message-result.ts";
import { OrderedLoop } from "./ordered-loop.ts";

/**
 * Steps that fail, partitions that are lost, handed over and taken over again, in a random order.
 * `LOOP_SEEDS` runs more seeds; a seed repeats its plan, not its timing.
 */
const SEEDS = Number(process.env.LOOP_SEEDS ?? 4);
const STEPS = 200;
const PARTITIONS = 6;
/** A batch of its own. */
const MANY_ROWS = 1_500;
const log = createLog({ service: "test", level: "fatal" });

interface Committed {
  readonly results: readonly { readonly kind: "done" }[];
  readonly messages: readonly StreamMessage[];
}

/** The keeper of the positions, as ingest is, whose steps fail while `isFaulty`. */
class Keeper {
  readonly loop: OrderedLoop<undefined, Committed>;
  readonly faults: string[] = [];
  readonly applied = new Array<number>(PARTITIONS).fill(0);
  readonly published = new Array<number>(PARTITIONS).fill(0);
  readonly owned = new Map<number, ReadFrom>();
  /** Batches with messages of these partitions fail. */
  readonly bad = new Set<number>();
  /** The consequences of messages of these partitions cannot be published. */
  readonly full = new Set<number>();
  isFaulty = true;
  publishing = 0;
  #committing = 0;
  readonly #stored = new WeakSet<StreamMessage>();
  readonly #random: SeededRandom;
  readonly #created: readonly string[];

  constructor(stream: Stream, created: readonly string[], random: SeededRandom, lanes: number) {
    this.#created = created;
    this.#random = random;
    this.loop = new OrderedLoop({
      stream,
      hop: FLOW.ingest,
      lanes,
      steps: {
        prepare: async () => {
          this.#mayFail("prepare", 0.05);
          return undefined;
        },
        commit: async ({ messages, prepared }) => {
          if (++this.#committing > lanes) this.faults.push(`${this.#committing} batches in ${lanes} lanes`);
          try {
            await prepared;
            return await this.#commit(messages);
          } finally {
            this.#committing--;
          }
        },
        answer: () => {},
        publish: async ({ messages }, again) => {
          this.publishing++;
          await this.#pause(30);
          this.publishing--;
          this.#mayFail("publish", 0.1);
          const partitions = again ?? new Set(messages.map(({ partition }) => partition));
          const failed = [...partitions].filter((one) => this.full.has(one) || this.#fails(0.1));
          for (const message of messages) {
            const { partition } = message;
            if (partitions.has(partition) && !failed.includes(partition)) this.#stored.add(message);
          }
          const failures = new Map(failed.map((one) => [one, new Error(`${one} is full`)]));
          if (failures.size > 0) throw new UnpublishedPartitions(failures);
        },
        move: ({ messages }, partitions) => {
          for (const message of messages) {
            const { partition, sequence } = message;
            if (!partitions.has(partition)) continue;
            if (!this.#stored.has(message))
              this.faults.push(`${partition}: moved past ${sequence}, unpublished`);
            this.published[partition] = Math.max(this.published[partition] as number, sequence);
          }
        },
      },
      observer: { outcome: () => {}, retried: () => {} },
      onLost: (partitions) => {
        for (const partition of partitions) this.owned.delete(partition);
      },
      onGone: async () => {},
      log,
    });
  }

  takeOver(partition: number): void {
    const reading = {
      after: this.published[partition] as number,
      applied: this.applied[partition] as number,
      streamCreated: this.#created[partition] as string,
    };
    this.owned.set(partition, reading);
    this.loop.add(partition, reading);
  }

  async #commit(messages: readonly StreamMessage[]): Promise<Committed> {
    this.#assertOwned(messages);
    await this.#pause(20);
    if (messages.some(({ partition }) => this.bad.has(partition))) throw new Error("a bad partition");
    this.#mayFail("commit", 0.1);
    this.#assertOwned(messages);
    for (const { partition, sequence, reading } of messages) {
      if (sequence <= (reading?.applied ?? 0)) continue;
      const before = this.applied[partition] as number;
      if (sequence !== before + 1) this.faults.push(`partition ${partition}: ${sequence} after ${before}`);
      this.applied[partition] = sequence;
    }
    return { results: messages.map(() => ({ kind: "done" })), messages };
  }

  #assertOwned(messages: readonly StreamMessage[]): void {
    const lost = messages.filter(({ partition, reading }) => this.owned.get(partition) !== reading);
    if (lost.length > 0) throw new LostPartitions([...new Set(lost.map(({ partition }) => partition))]);
  }

  #mayFail(step: string, chance: number): void {
    if (this.#fails(chance)) throw new Error(`${step} fails`);
  }

  #fails(chance: number): boolean {
    return this.isFaulty && this.#random.chance(chance);
  }

  async #pause(most: number): Promise<void> {
    await delay(this.#random.between(0, this.isFaulty ? most : 2));
  }
}

for (let seed = 1; seed <= SEEDS; seed++) {
  t.test(`ordered loop - each message takes effect once and in order (seed ${seed})`, async (t) => {
    const random = new SeededRandom(seed);
    const { natsUrl } = await testServers();
    const prefix = isolation();
    const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
    t.teardown(() => stream.close());
    await ensureTopology(stream, { maxBytes: 2 ** 24, linkMaxBytes: 2 ** 21, partitions: PARTITIONS });
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const states = await Promise.all(partitions.map((one) => readStreamState(stream, FLOW.ingest, one)));
    const keeper = new Keeper(
      stream,
      states.map(({ created }) => created),
      new SeededRandom(-seed),
      1 + (seed % 3),
    );
    const { loop, owned, bad, full, applied, published } = keeper;
    const sent = partitions.map(() => 0);
    const send = async (partition: number, rows: number) => {
      const fields = headers();
      fields.set(HEADERS.rows, String(rows));
      await stream.jetstream.publish(`${prefix}ingest.${partition}`, "{}", { headers: fields });
      sent[partition] = (sent[partition] as number) + 1;
    };
    /** Partitions that are being handed over. */
    const leaving = new Map<number, Promise<void>>();
    const handOver = async (partition: number) => {
      const [finish, ms] = [random.chance(0.6), random.between(0, 50)];
      await loop.remove(partition, finish);
      owned.delete(partition);
      await delay(ms);
      leaving.delete(partition);
      keeper.takeOver(partition);
    };
    const step = async (): Promise<unknown> => {
      const partition = random.pick(partitions);
      const draw = random.next();
      if (draw < 0.6) {
        const rows = random.chance(0.2) ? MANY_ROWS : 1;
        const some = Array.from({ length: random.between(1, 6) }, () => random.pick(partitions));
        return Promise.all(some.map((one) => send(one, rows)));
      }
      const faulty = random.pick([bad, full]);
      if (draw < 0.7) return faulty.add(partition);
      if (draw < 0.82) return faulty.delete(partition);
      if (draw >= 0.94) return delay(random.between(0, 60));
      if (leaving.has(partition)) return;
      // Another process has taken it over: its next commit finds that.
      if (draw >= 0.9) return owned.delete(partition);
      return leaving.set(partition, handOver(partition));
    };
    const takeOverSome = (chance: number) => {
      for (const one of partitions) {
        if (!leaving.has(one) && !owned.has(one) && random.chance(chance)) keeper.takeOver(one);
      }
    };

    takeOverSome(1);
    for (let i = 0; i < STEPS; i++) {
      await step();
      takeOverSome(0.2);
    }
    keeper.isFaulty = false;
    bad.clear();
    full.clear();
    await Promise.all(leaving.values());
    const isDone = () => {
      takeOverSome(1);
      return loop.held === 0 && partitions.every((one) => published[one] === sent[one]);
    };
    await waitFor(isDone, { message: "every message is published" });
    t.strictSame(applied, sent);
    t.strictSame(keeper.faults, []);

    bad.add(0).add(1);
    full.add(2).add(3);
    for (const partition of partitions) await send(partition, MANY_ROWS);
    for (const partition of partitions) await send(partition, 1);
    await waitFor(() => [4, 5].every((one) => published[one] === sent[one]), {
      message: "the good partitions are published while the others fail",
    });
    await loop.stop();
    t.equal(loop.held, 0, "a stopped loop holds nothing");
    t.equal(keeper.publishing, 0);
  });
}
