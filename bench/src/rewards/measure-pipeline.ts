import { constantText } from "#postgres";
import { type Arena, type Database, FIRST_RUN, type RunResult } from "../ingest/arena.ts";
import { type Ready, runAtBest } from "../ingest/contenders.ts";
import { Meter } from "../kit/meter.ts";
import { type Stampede, startStampede } from "../kit/subjects.ts";
import { median, middle } from "../kit/timeline.ts";
import { usingStore } from "../kit/using-store.ts";
import { addWork, type MatchCost, type MeteredWork, matchCosts } from "./match-costs.ts";
import type { RewardsArena } from "./options.ts";
import { contradictions } from "./reward-counts.ts";
import { startWhole, type WholeInstallation } from "./whole-installation.ts";
import { payAlong } from "./whole-loop.ts";

export interface Pipeline {
  /** Events a second, each repetition. */
  readonly without: readonly number[];
  readonly beside: readonly number[];
  /** The median repetitions, whole. */
  readonly runs: { readonly without: RunResult; readonly beside: RunResult };
  /** Seconds after a run until everything after ingest had worked through all of it, the median. */
  readonly behindSeconds: number;
  /** Of the transactions that ingest stored, those that found a payment. */
  readonly matchedShare: number;
  /** Of all repetitions together. */
  readonly matchCosts: readonly MatchCost[];
  readonly faults: readonly string[];
}

const SIZE = 500;
/** The first number of connections that the canonical benchmark tries. */
const CONNECTIONS = 16;
/** Events a second to prepare for; generous. */
const EXPECTED = 80_000;
/** A share of ingest's rate alone: for the payments of the first run with everything else. */
const FIRST_PACE = 0.5;

/**
 * Ingest in requests of 500 like in the canonical benchmark, in turn alone and together with platform,
 * rewards and webhooks, on separate databases. In the second case all members are enrolled, one in ten has a
 * clip, one in ten purchases belongs to a retailer, each of those is paid, and a webhook gets the resulting
 * events.
 *
 * Each installation first has a run that does not count: a new process compiles its hot code, and payments
 * that come faster than purchases would be an additional load, so their pace is the rate of the previous run.
 */
export async function measurePipeline(arena: RewardsArena): Promise<Pipeline> {
  const { repetitions } = arena.options;
  const without = await readyAlone(arena);
  const whole = await startWhole(arena, true);
  const runs: { without: MeteredRun[]; beside: MeteredRun[] } = { without: [], beside: [] };
  const behind: number[] = [];
  arena.say("pipeline: warming up");
  const { run: first } = await runAlone(arena, without, 0);
  let pace = FIRST_PACE * first.measured.eventsPerSecond;
  pace = (await runBeside(arena, whole, 0, pace)).run.measured.eventsPerSecond;
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    arena.say(`pipeline: ${repetition} of ${repetitions}, alone`);
    runs.without.push(await runAlone(arena, without, repetition));
    arena.say(`pipeline: ${repetition} of ${repetitions}, with everything beside it`);
    const beside = await runBeside(arena, whole, repetition, pace);
    pace = beside.run.measured.eventsPerSecond;
    runs.beside.push(beside);
    behind.push(beside.behindSeconds);
  }
  arena.say("pipeline: verifying");
  const { matchedShare, faults } = await verifyLoop(arena, whole.database);
  await whole.stopReceiving();
  for (const { subject, database } of [without, whole]) {
    const verdict = await arena.settle(subject, database);
    faults.push(...verdict.faults.map((fault) => `${database.name}: ${fault}`));
  }
  const rate = ({ measured }: RunResult) => measured.eventsPerSecond;
  const ran = (some: readonly MeteredRun[]) => some.map(({ run }) => run);
  const work = (some: readonly MeteredRun[]) => addWork(some.map((one) => one.work));
  return {
    without: ran(runs.without).map(rate),
    beside: ran(runs.beside).map(rate),
    runs: { without: median(ran(runs.without), rate), beside: median(ran(runs.beside), rate) },
    behindSeconds: middle(behind),
    matchedShare,
    matchCosts: matchCosts(work(runs.without), work(runs.beside)),
    faults,
  };
}

interface ReadyAlone extends Ready {
  readonly subject: Stampede;
}

async function readyAlone(arena: RewardsArena): Promise<ReadyAlone> {
  const database = await arena.newDatabase("alone");
  const subject = await startStampede({ servers: arena.servers, database: database.name });
  return { subject, database, ...usual(arena.options.abundance) };
}

function usual(abundance: number) {
  return { connections: CONNECTIONS, setting: `${CONNECTIONS} connections`, expected: EXPECTED * abundance };
}

interface MeteredRun {
  readonly run: RunResult;
  /** Warm-up included. */
  readonly work: MeteredWork;
}

async function runAlone(arena: RewardsArena, ready: ReadyAlone, repetition: number): Promise<MeteredRun> {
  const { result: run, work } = await metered(arena, ready, () => runAtBest(arena, ready, SIZE, repetition));
  return { run, work };
}

/** @param pace the expected events a second: payments come as fast as the purchases that they pay */
async function runBeside(
  arena: RewardsArena,
  whole: WholeInstallation,
  repetition: number,
  pace: number,
): Promise<MeteredRun & { readonly behindSeconds: number }> {
  const { seconds, warmUpSeconds, abundance } = arena.options;
  const { result, work } = await metered(arena, whole, async () => {
    const endPaying = payAlong(arena, whole.subject, {
      run: FIRST_RUN.repetitions + repetition,
      eventsPerSecond: pace,
      seconds: seconds + warmUpSeconds,
    });
    const run = await runAtBest(arena, { ...whole, ...usual(abundance) }, SIZE, repetition);
    await endPaying();
    const endedMs = performance.now();
    await whole.settle();
    return { run, behindSeconds: (performance.now() - endedMs) / 1000 };
  });
  return { ...result, work };
}

/** Reads the counters of an installation while something runs on it, and counts the work done. */
async function metered<T>(
  { servers }: Arena,
  { subject, database }: { readonly subject: Stampede; readonly database: Database },
  run: () => Promise<T>,
): Promise<{ result: T; work: MeteredWork }> {
  const { processes, streamPrefix } = subject;
  const before = await countWork(database);
  const meter = await Meter.start({ servers, database: database.name, processes, streamPrefix });
  const now = () => performance.timeOrigin + performance.now();
  const startedMs = now();
  let result: T;
  try {
    result = await run();
  } finally {
    await meter.stop();
  }
  const counters = meter.between(startedMs, now());
  const after = await countWork(database);
  const work = { events: after.events - before.events, matches: after.matches - before.matches, counters };
  return { result, work };
}

/** Each transaction had an event and some had several: they are alike in all runs. */
async function countWork({ url }: Database): Promise<{ events: number; matches: number }> {
  return usingStore(url, async (store) => {
    const [{ hasPlatform }] = await store<[{ hasPlatform: boolean }]>`
      select to_regclass('platform.payments') is not null as "hasPlatform"`;
    const matches = sqlOfMatches(hasPlatform);
    const [counted] = await store<[{ events: number; matches: number }]>`
      select (select count(*) from transactions) as events, (${matches(store)}) as matches`;
    return counted;
  });
}

const sqlOfMatches = (hasPlatform: boolean) =>
  constantText(
    hasPlatform ? "select count(*) from platform.payments where transaction_id is not null" : "select 0",
  );

/**
 * The rules that must hold once all work is done: no payment of a stored purchase waits for it, all rewards
 * are stored, and there are no contradictions. A purchase that was reverted first earns nothing.
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
