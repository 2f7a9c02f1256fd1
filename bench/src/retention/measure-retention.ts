import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { closeStore, connectStore, type Store } from "#postgres";
import { verifyRewards } from "#publisher-db";
import { toEventBatch } from "../../../services/ingest/src/batch/event-batch.ts";
import { KnownKeys } from "../../../services/ingest/src/batch/known-keys.ts";
import { restAfter } from "../../../services/ingest/src/cleanup/rest-after.ts";
import { BLOCKS_PER_STEP } from "../../../services/ingest/src/cleanup/retention.ts";
import {
  type Keeper,
  stepRound,
  type Round as TakenRound,
  takeRound,
} from "../../../services/ingest/src/cleanup/round.ts";
import { createWorld, fillDatabase, type World } from "../ingest/world.ts";
import { purchaseOf, writeBatch } from "../ingest/write-batch.ts";
import type { Setting } from "../kit/benchmark.ts";
import { thousands } from "../kit/report.ts";
import { fillHistory } from "./fill-history.ts";
import type { RetentionOptions } from "./options.ts";

const DATABASE = "bench_retention";
const DAYS = 90;

/** One window of ingestion. */
export interface Ingested {
  readonly eventsPerSecond: number;
  /** Milliseconds of each batch. */
  readonly batches: readonly number[];
}

/** Two windows, one right after the other: they share the state of the machine and of the table. */
export interface Pair {
  readonly alone: Ingested;
  readonly beside: Ingested;
}

export interface RetentionResults {
  readonly pairs: readonly Pair[];
  /** Transactions removed per second in the windows with retention. */
  readonly leftPerSecond: number;
  /** Milliseconds of each step, in the windows and in the rest of the round. */
  readonly steps: readonly number[];
  /** The rest of the round, without load and without rests. */
  readonly roundSeconds: number;
  readonly roundRows: number;
  readonly rows: Readonly<Record<string, number>>;
  /** The most memory of this process. */
  readonly rssBytes: number;
  readonly faults: readonly string[];
}

/**
 * A history, ingestion with and without concurrent retention, the rest of the round, and whether exactly the
 * due transactions were removed.
 */
export async function measureRetention({
  servers,
  options,
  say,
}: Setting<RetentionOptions>): Promise<RetentionResults> {
  await servers.execute("stampede", `create database ${DATABASE}`);
  const url = servers.databaseUrl(DATABASE);
  const world = createWorld(options.seed, options.members);
  await fillDatabase(url, options.seed, world);
  const store = connectStore({ url, max: options.lanes + 1, applicationName: "bench" });
  const filling = connectStore({ url, max: 1, applicationName: "bench-fill" });
  try {
    say(`storing ${thousands(options.rows)} transactions`);
    const { due, stays } = await fillHistory(filling, world, options.rows);
    const round = await Round.begin(store);
    let written = 0;
    const window = async () => {
      const ingested = await ingest(store, world, options);
      written += ingested.batches.length * options.size;
      return ingested;
    };
    say("a window that counts for nothing: backends and caches are new");
    await window();
    const { pairs, leftPerSecond } = await measurePairs(round, window, options, say);
    const before = round.left;
    say(`the rest of the round; ${thousands(before)} of ${thousands(due)} have left`);
    const startedAt = performance.now();
    await round.goOn("without rests");
    const roundSeconds = (performance.now() - startedAt) / 1000;
    say("verifying");
    const faults = await verify(store, { gone: round.left, due, left: stays + written });
    const rssBytes = process.resourceUsage().maxRSS * 1024;
    const { steps, rows } = round;
    return {
      pairs,
      leftPerSecond,
      steps,
      roundSeconds,
      roundRows: round.left - before,
      rows,
      rssBytes,
      faults,
    };
  } finally {
    await closeStore(filling);
    await closeStore(store);
  }
}

/** The round of retention that the benchmark runs itself, and its result. */
class Round {
  /** Milliseconds of each. */
  readonly steps: number[] = [];
  /** Rows removed, by table. */
  readonly rows: Record<string, number> = {};
  readonly #store: Store;
  readonly #keeper: Keeper;
  readonly #taken: TakenRound;

  static async begin(store: Store): Promise<Round> {
    const keeper = { owner: uuidv7(), days: DAYS };
    const taken = await takeRound(store, keeper);
    if (taken === undefined) throw new Error("there is no round to do");
    return new Round(store, keeper, taken);
  }

  private constructor(store: Store, keeper: Keeper, taken: TakenRound) {
    this.#store = store;
    this.#keeper = keeper;
    this.#taken = taken;
  }

  get left(): number {
    return this.rows.transactions ?? 0;
  }

  /** Steps until the round is over or `isOver` says so. */
  async goOn(pace: "paced" | "without rests", isOver = () => false): Promise<void> {
    while (!isOver()) {
      const sentAt = performance.now();
      const { progress, removed } = await stepRound(this.#store, this.#keeper, this.#taken, BLOCKS_PER_STEP);
      const tookMs = performance.now() - sentAt;
      this.steps.push(tookMs);
      for (const [table, count] of Object.entries(removed?.rows ?? {}))
        this.rows[table] = (this.rows[table] ?? 0) + count;
      if (progress !== "more") return;
      if (pace === "paced") await delay(restAfter(tookMs));
    }
  }
}

/**
 * Windows without and with retention, in turns. Every other pair begins with retention: so a drift affects
 * both.
 */
async function measurePairs(
  round: Round,
  window: () => Promise<Ingested>,
  options: RetentionOptions,
  say: (text: string) => void,
): Promise<Pick<RetentionResults, "pairs" | "leftPerSecond">> {
  const windowBeside = async () => {
    let isOver = false;
    const retaining = round.goOn("paced", () => isOver);
    const ingested = await window();
    isOver = true;
    await retaining;
    return ingested;
  };
  const pairs: Pair[] = [];
  const before = round.left;
  for (let pair = 0; pair < options.windows; pair++) {
    say(`windows without and with retention, ${pair + 1} of ${options.windows}`);
    const first = pair % 2 === 0 ? await window() : await windowBeside();
    const second = pair % 2 === 0 ? await windowBeside() : await window();
    pairs.push(pair % 2 === 0 ? { alone: first, beside: second } : { alone: second, beside: first });
  }
  return { pairs, leftPerSecond: (round.left - before) / (options.windows * options.seconds) };
}

/** One window: each lane writes its next batch of new purchases once the previous one is committed. */
async function ingest(
  store: Store,
  world: World,
  { seconds, lanes, size }: RetentionOptions,
): Promise<Ingested> {
  const batches: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const lane = async () => {
    const keys = new KnownKeys();
    while (performance.now() < endAt) {
      const batch = toEventBatch(Array.from({ length: size }, (_, ord) => purchaseOf(world, ord)));
      const sentAt = performance.now();
      await writeBatch(store, batch, keys);
      batches.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const tookSeconds = (performance.now() - startedAt) / 1000;
  return { eventsPerSecond: (batches.length * size) / tookSeconds, batches };
}

async function verify(
  store: Store,
  expected: { readonly gone: number; readonly due: number; readonly left: number },
): Promise<string[]> {
  const faults: string[] = [];
  if (expected.gone !== expected.due)
    faults.push(`${expected.gone} transactions left, ${expected.due} were due`);
  const [{ left }] = await store<[{ left: number }]>`select count(*) as left from transactions`;
  if (left !== expected.left) faults.push(`${left} transactions are there, not ${expected.left}`);
  const found = (await verifyRewards(store)).faults.filter(({ kind }) => !kind.endsWith("_events"));
  for (const { kind, id, detail } of found.slice(0, 10)) faults.push(`${kind} ${id}: ${detail}`);
  return faults;
}
