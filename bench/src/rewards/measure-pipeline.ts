import { migratePlatform } from "#platform-db";
import { type Arena, type Database, FIRST_RUN, type RunResult } from "../ingest/arena.ts";
import { type Ready, runAtBest } from "../ingest/contenders.ts";
import { type Stampede, startStampede, UP_TO_REWARDS } from "../kit/subjects.ts";
import { median, middle } from "../kit/timeline.ts";
import { usingStore } from "../kit/using-store.ts";
import { waitUntil } from "../kit/wait-until.ts";
import type { RewardsArena } from "./options.ts";
import { contradictions } from "./reward-counts.ts";
import { configureLoop, isLoopEmpty, payAlong } from "./whole-loop.ts";

export interface Pipeline {
  /** Events a second, each repetition. */
  readonly without: readonly number[];
  readonly beside: readonly number[];
  /** The median repetitions, whole. */
  readonly runs: { readonly without: RunResult; readonly beside: RunResult };
  /** Seconds after a run until the platform and rewards had worked through all of it, the median. */
  readonly behindSeconds: number;
  /** Of the transactions that ingest stored, those that found a payment. */
  readonly matchedShare: number;
  readonly faults: readonly string[];
}

const SIZE = 500;
/** The first that the canonical benchmark tries. */
const CONNECTIONS = 16;
/** Events a second to be prepared for; generous. */
const EXPECTED = 80_000;

/**
 * Ingest in requests of 500 as the canonical benchmark measures it, in turn alone and with the platform and rewards beside
 * it, on databases of their own. Beside them all members are enrolled, one in ten has a clip, one in ten purchases is
 * of a retailer, and each of those is paid.
 */
export async function measurePipeline(arena: RewardsArena): Promise<Pipeline> {
  const { repetitions } = arena.options;
  const without = await readyAlone(arena);
  const beside = await readyWhole(arena);
  const runs: { without: RunResult[]; beside: RunResult[] } = { without: [], beside: [] };
  const behind: number[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    arena.say(`pipeline: ${repetition} of ${repetitions}, alone`);
    const alone = await runAtBest(arena, without, SIZE, repetition);
    runs.without.push(alone);
    arena.say(`pipeline: ${repetition} of ${repetitions}, with the platform and rewards`);
    const { run, behindSeconds } = await runBeside(arena, beside, repetition, alone);
    runs.beside.push(run);
    behind.push(behindSeconds);
  }
  arena.say("pipeline: verifying");
  const { matchedShare, faults } = await verifyLoop(arena, beside.database);
  for (const { subject, database } of [without, beside]) {
    const verdict = await arena.settle(subject, database);
    faults.push(...verdict.faults.map((fault) => `${database.name}: ${fault}`));
  }
  const rate = ({ measured }: RunResult) => measured.eventsPerSecond;
  return {
    without: runs.without.map(rate),
    beside: runs.beside.map(rate),
    runs: { without: median(runs.without, rate), beside: median(runs.beside, rate) },
    behindSeconds: middle(behind),
    matchedShare,
    faults,
  };
}

interface ReadyWhole extends Ready {
  readonly subject: Stampede;
}

async function readyAlone(arena: RewardsArena): Promise<Ready> {
  const database = await arena.newDatabase("alone");
  const subject = await startStampede({ servers: arena.servers, database: database.name });
  return { subject, database, ...usual(arena.options.abundance) };
}

async function readyWhole(arena: RewardsArena): Promise<ReadyWhole> {
  const database = await arena.newDatabase("whole");
  await migratePlatform(database.url);
  await usingStore(database.url, (store) => configureLoop(store, arena.options.seed));
  const { servers, options } = arena;
  const subject = await startStampede({ servers, database: database.name, behind: UP_TO_REWARDS });
  return { subject, database, ...usual(options.abundance) };
}

function usual(abundance: number) {
  return { connections: CONNECTIONS, setting: `${CONNECTIONS} connections`, expected: EXPECTED * abundance };
}

/** @param alone the run before, which says how fast purchases will come */
async function runBeside(
  arena: RewardsArena,
  { subject, ...ready }: ReadyWhole,
  repetition: number,
  alone: RunResult,
): Promise<{ run: RunResult; behindSeconds: number }> {
  const { seconds, warmUpSeconds } = arena.options;
  const endPaying = payAlong(arena, subject, {
    run: FIRST_RUN.repetitions + repetition,
    eventsPerSecond: alone.measured.eventsPerSecond,
    seconds: seconds + warmUpSeconds,
  });
  const run = await runAtBest(arena, { subject, ...ready }, SIZE, repetition);
  await endPaying();
  const endedMs = performance.now();
  await usingStore(ready.database.url, (store) =>
    waitUntil(() => isLoopEmpty(subject, store), "the platform and rewards do not get to the end"),
  );
  return { run, behindSeconds: (performance.now() - endedMs) / 1000 };
}

/**
 * What must hold when all is worked through: no payment of a purchase that is there waits for it, what was earned is
 * there, and nothing contradicts itself. What a reversal came before earns nothing.
 */
async function verifyLoop(
  { world }: Arena,
  database: Database,
): Promise<{ matchedShare: number; faults: string[] }> {
  return usingStore(database.url, async (store) => {
    const [found] = await store<[{ transactions: number; pairs: number; waiting: number; missing: number }]>`
      select
        (select count(*) from transactions) as transactions,
        (select count(*) from platform.payments where transaction_id is not null) as pairs,
        (
          select count(*) from platform.payments p
          join transactions t
            on t.organisation_id = ${world.organisationId}::uuid and t.external_id = substr(p.payment_id, 3)
          where p.is_open and t.state <> 'reverted'
        ) as waiting,
        (
          select count(*) from platform.records r
          join transactions t on t.id = r.transaction_id
          where r.payment_id is not null and t.state <> 'reverted' and not exists (
            select from qualifying_purchases q where q.transaction_id = r.transaction_id
          )
        ) as missing`;
    const { transactions, pairs, waiting, missing } = found;
    const faults = await contradictions(store);
    if (waiting > 0) faults.push(`${waiting} payments of stored transactions have not found them`);
    if (missing > 0) faults.push(`${missing} paid purchases of enrolled members have no stamp`);
    if (pairs === 0) faults.push("no payment has found its transaction");
    return { matchedShare: pairs / transactions, faults };
  });
}
