import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import type { BatchEvent } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { verifyRewards } from "#publisher-db";
import { KnownKeys } from "../../../services/ingest/src/known-keys.ts";
import { RETENTION_TABLES } from "../../../services/ingest/src/retention/remove-settled.ts";
import { BLOCKS_PER_STEP, pauseAfter } from "../../../services/ingest/src/retention/retention.ts";
import { stepRound, takeRound } from "../../../services/ingest/src/retention/round.ts";
import { toEventBatch } from "../../../services/ingest/src/transactions/event-batch.ts";
import { createWorld, fillDatabase, type World } from "../ingest/world.ts";
import { writeBatch } from "../ingest/write-batch.ts";
import type { Benchmark, Setting } from "../kit/benchmark.ts";
import { alignTable, milliseconds, thousands } from "../kit/report.ts";
import { fillHistory } from "./fill-history.ts";
import { RETENTION_OPTIONS, type RetentionOptions } from "./options.ts";

const DATABASE = "bench_retention";
const DAYS = 90;

/** Ingestion over some windows. */
interface Ingested {
  readonly eventsPerSecond: readonly number[];
  /** Milliseconds of each batch. */
  readonly batches: readonly number[];
}

interface RetentionResults {
  readonly alone: Ingested;
  readonly beside: Ingested;
  /** Milliseconds of each step, of the windows and of the rest of the round. */
  readonly steps: readonly number[];
  /** The rest of the round, without load and without rests. */
  readonly roundSeconds: number;
  readonly roundRows: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** What retention costs ingestion, and how long its steps are. Ingestion is its statements alone, as in the ceiling. */
export const BENCH_RETENTION: Benchmark<RetentionOptions, RetentionResults> = {
  arguments: RETENTION_OPTIONS,
  measure,
  report: ({ alone, beside, steps, roundSeconds, roundRows, rows }) => [
    alignTable([
      ["ingestion, statements alone", "events/s", "batch p50", "batch p99"],
      ["without retention", ...describe(alone)],
      ["with retention beside it", ...describe(beside)],
    ]),
    `steps: ${thousands(steps.length)}, p50 ${milliseconds(at(steps, 0.5))}, p99 ${milliseconds(at(steps, 0.99))}, ` +
      `longest ${milliseconds(at(steps, 1))}`,
    `the rest of the round, without load and without rests: ${thousands(roundRows)} transactions in ${roundSeconds.toFixed(0)} s; ` +
      `with its rests the whole round takes ${pacedSeconds(steps).toFixed(0)} s`,
    `left: ${RETENTION_TABLES.map((table) => `${thousands(rows[table] ?? 0)} ${table}`).join(", ")}`,
  ],
  record: ({ alone, beside, steps, roundSeconds, roundRows, rows }) => ({
    events_per_second: { alone: alone.eventsPerSecond, beside: beside.eventsPerSecond },
    batch_ms: {
      alone: { p50: at(alone.batches, 0.5), p99: at(alone.batches, 0.99) },
      beside: { p50: at(beside.batches, 0.5), p99: at(beside.batches, 0.99) },
    },
    steps: { count: steps.length, p50_ms: at(steps, 0.5), p99_ms: at(steps, 0.99), max_ms: at(steps, 1) },
    round: { seconds: roundSeconds, transactions: roundRows, paced_seconds: pacedSeconds(steps) },
    rows,
  }),
  verdict: ({ faults }) => ({
    faults: [...faults],
    holds: "exactly what was due has left, and what stays agrees with itself",
  }),
};

function describe({ eventsPerSecond, batches }: Ingested): string[] {
  return [
    thousands(at(eventsPerSecond, 0.5)),
    milliseconds(at(batches, 0.5)),
    milliseconds(at(batches, 0.99)),
  ];
}

function pacedSeconds(steps: readonly number[]): number {
  return steps.reduce((sum, tookMs) => sum + tookMs + pauseAfter(tookMs), 0) / 1000;
}

/** @param share 0.5: the middle one; 1: the last */
function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

async function measure({ servers, options, say }: Setting<RetentionOptions>): Promise<RetentionResults> {
  await servers.execute("stampede", `create database ${DATABASE}`);
  const url = servers.databaseUrl(DATABASE);
  const world = createWorld(options.seed, options.members);
  await fillDatabase(url, options.seed, world);
  const store = connectStore({ url, max: options.lanes + 1, applicationName: "bench" });
  const filling = connectStore({ url, max: 1, applicationName: "bench-fill" });
  try {
    say(`storing ${options.rows} transactions`);
    const { due, stays } = await fillHistory(filling, world, options.rows);
    const steps: number[] = [];
    const rows: Record<string, number> = {};
    const keeper = { owner: uuidv7(), days: DAYS };
    const round = await takeRound(store, keeper);
    if (round === undefined) throw new Error("there is no round to do");
    /** Steps until the round is over or `isOver` says so. */
    const retain = async (pace: "paced" | "without rests", isOver = () => false) => {
      while (!isOver()) {
        const sentAt = performance.now();
        const { progress, removed } = await stepRound(store, keeper, round, BLOCKS_PER_STEP);
        const tookMs = performance.now() - sentAt;
        steps.push(tookMs);
        for (const [table, count] of Object.entries(removed?.rows ?? {}))
          rows[table] = (rows[table] ?? 0) + count;
        if (progress !== "more") return;
        if (pace === "paced") await delay(pauseAfter(tookMs));
      }
    };
    const alone: Ingested[] = [];
    const beside: Ingested[] = [];
    for (let window = 0; window < options.windows; window++) {
      say(`window ${window + 1} of ${options.windows}`);
      alone.push(await ingest(store, world, options));
      let isOver = false;
      const retaining = retain("paced", () => isOver);
      beside.push(await ingest(store, world, options));
      isOver = true;
      await retaining;
    }
    say(`the rest of the round; ${thousands(rows.transactions ?? 0)} of ${thousands(due)} have left`);
    const before = rows.transactions ?? 0;
    const startedAt = performance.now();
    await retain("without rests");
    const roundSeconds = (performance.now() - startedAt) / 1000;
    const written = [...alone, ...beside].reduce(
      (sum, { batches }) => sum + batches.length * options.size,
      0,
    );
    const faults = await verify(store, { gone: rows.transactions ?? 0, due, left: stays + written });
    const roundRows = (rows.transactions ?? 0) - before;
    return { alone: join(alone), beside: join(beside), steps, roundSeconds, roundRows, rows, faults };
  } finally {
    await closeStore(filling);
    await closeStore(store);
  }
}

function join(windows: readonly Ingested[]): Ingested {
  return {
    eventsPerSecond: windows.flatMap(({ eventsPerSecond }) => eventsPerSecond),
    batches: windows.flatMap(({ batches }) => batches),
  };
}

/** One window: each lane writes its next batch of new purchases when the one before is committed. */
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
      const batch = toEventBatch(Array.from({ length: size }, (_, ord) => purchase(world, ord)));
      const sentAt = performance.now();
      await writeBatch(store, batch, keys);
      batches.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const tookSeconds = (performance.now() - startedAt) / 1000;
  return { eventsPerSecond: [(batches.length * size) / tookSeconds], batches };
}

function purchase({ organisationId, memberIds }: World, ord: number): BatchEvent {
  const id = uuidv7();
  return {
    ord,
    id,
    organisationId,
    memberId: memberIds[Number.parseInt(id.slice(-6), 16) % memberIds.length] as string,
    externalId: id,
    state: "authorized",
    network: "visa",
    merchantId: "MID-1",
    statementDescriptor: null,
    amount: 1250,
    currency: "EUR",
    authedAt: new Date().toISOString().replace("Z", "000Z"),
    clearedAt: null,
    revertedAt: null,
    identifier6: "06".repeat(32),
    identifier8: null,
  };
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
