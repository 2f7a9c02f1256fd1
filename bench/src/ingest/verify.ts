import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import postgres, { type Sql } from "postgres";
import { transactionIdentifiers } from "#domain";
import { describeTransaction, firstExternalId } from "./event-text.ts";
import { ACCEPTED, type ProcessedCounts, UNEXPECTED, UNKNOWN } from "./tally.ts";
import { AUTHORIZED, CLEARED, NOTHING, planLane, REVERTED, type WorkloadSpec } from "./workload.ts";
import type { World } from "./world.ts";

/**
 * The expected content of the database after a run, derived from the requests and their answers alone. It
 * does not depend on the order in which they took effect: a transaction settles at most once, and later
 * events change nothing.
 */
interface Expected {
  /** By transaction number: the state that the accepted events lead to. */
  readonly certain: Uint8Array;
  /** Bits of other possible states, if events of unanswered requests took effect. */
  readonly possible: Uint8Array;
}

function expectAfter(spec: WorkloadSpec, fates: Uint8Array): Expected {
  const numbers = spec.lanes * spec.requestsPerLane * spec.size;
  const certain = new Uint8Array(numbers);
  const possible = new Uint8Array(numbers);
  for (let lane = 0; lane < spec.lanes; lane++) {
    const plan = planLane(spec, lane);
    for (let at = 0; at < plan.transactions.length; at++) {
      const fate = fates[lane * spec.requestsPerLane + Math.floor(at / spec.size)] as number;
      const state = plan.states[at] as number;
      const number = plan.transactions[at] as number;
      if (fate & ACCEPTED) certain[number] = Math.max(certain[number] as number, state);
      else if (fate & UNKNOWN) possible[number] = (possible[number] as number) | (1 << state);
    }
  }
  for (let number = 0; number < numbers; number++) {
    // An authorization after a certain event changes nothing.
    const covered = (1 << ((certain[number] as number) + 1)) - 1;
    possible[number] = (possible[number] as number) & ~covered;
  }
  return { certain, possible };
}

/** Adds the expectation of one run to the table `bench_ledger` in the subject's database. */
async function recordExpected(sql: Sql, spec: WorkloadSpec, world: World, expected: Expected): Promise<void> {
  await sql`
    create unlogged table if not exists bench_ledger (
      external_id text collate "C" not null, member_id uuid not null, state text, amount bigint,
      other_states text[], other_amounts bigint[]
    )`;
  const copy = await sql`copy bench_ledger from stdin`.writable();
  await pipeline(Readable.from(ledgerLines(spec, world, expected)), copy);
}

const ROWS_PER_CHUNK = 1_000;
const STATES = ["\\N", "authorized", "cleared", "reverted"] as const;
const SOME_STATES = [AUTHORIZED, CLEARED, REVERTED];

function* ledgerLines(spec: WorkloadSpec, world: World, { certain, possible }: Expected): Generator<string> {
  let chunk = "";
  let rows = 0;
  for (let number = 0; number < certain.length; number++) {
    const state = certain[number] as number;
    const bits = possible[number] as number;
    if (state === NOTHING && bits === 0) continue;
    const others = bits === 0 ? [] : SOME_STATES.filter((other) => bits & (1 << other));
    const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
    const amountAt = (at: number) =>
      at === NOTHING ? "\\N" : at === AUTHORIZED ? transaction.amount : transaction.settledAmount;
    chunk += `${transaction.externalId}\t${world.memberIds[transaction.member]}\t${STATES[state]}\t${amountAt(state)}\t`;
    chunk += `{${others.map((other) => STATES[other])}}\t{${others.map(amountAt)}}\n`;
    rows++;
    if (rows % ROWS_PER_CHUNK !== 0) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/**
 * The number of requests for each fate, from a generator that does not know which requests. Its fates are
 * UNKNOWN if they may be.
 */
export interface Counted {
  readonly accepted: number;
  /** Without an answer, or with an inconclusive one. */
  readonly unknown: number;
  readonly unexpected: number;
}

/** One run against a database: its requests and its answers. */
export interface Evidence {
  readonly spec: WorkloadSpec;
  readonly fates: Uint8Array;
  /** Sum of the 200 answers; undefined if the answers have no counts (202, ceiling). */
  readonly processed?: ProcessedCounts | undefined;
  readonly unexpected: readonly string[];
  readonly counted?: Counted | undefined;
}

export interface Verdict {
  /** The number of transactions compared. */
  readonly transactions: number;
  /** The number of accepted events for them. */
  readonly events: number;
  /**
   * Empty: every accepted event is stored once, the states and amounts are right, and nothing else is stored.
   */
  readonly faults: readonly string[];
}

const SAMPLED_IDENTIFIERS = 200;

/** Compares a database with its subject's answers: all runs together, row by row. */
export async function verify(databaseUrl: string, world: World, runs: readonly Evidence[]): Promise<Verdict> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const faults: string[] = [];
  let events = 0;
  try {
    await sql`drop table if exists bench_ledger`;
    for (const run of runs) {
      const expected = expectAfter(run.spec, run.fates);
      await recordExpected(sql, run.spec, world, expected);
      const stored = await storedOf(sql, run.spec, world);
      const counted = run.counted ?? countFates(run);
      events += counted.accepted * run.spec.size;
      faults.push(...checkAnswers(run, counted, stored));
      faults.push(...(await checkIdentifiers(sql, run, world, expected)));
    }
    const first = firstExternalId(Math.min(...runs.map(({ spec }) => spec.run)));
    const [found] = await compare(sql, world, first);
    if (found === undefined) throw new Error("the comparison gave no row");
    const { transactions, ...counts } = found;
    for (const [name, count] of Object.entries(counts)) if (count > 0) faults.push(`${count} ${name}`);
    await sql`drop table bench_ledger`;
    return { transactions, events, faults };
  } finally {
    await sql.end();
  }
}

interface Comparison {
  readonly transactions: number;
  readonly missing: number;
  readonly unasked: number;
  readonly wrong: number;
  readonly foreign: number;
}

function compare(sql: Sql, world: World, first: string): Promise<Comparison[]> {
  return sql<Comparison[]>`
    select
      count(*)::int as transactions,
      count(*) filter (where t.external_id is null and l.state is not null)::int as missing,
      count(*) filter (where l.external_id is null)::int as unasked,
      count(*) filter (where t.external_id is not null and l.external_id is not null and not (
        t.member_id = l.member_id and t.currency is not null and t.statement_descriptor is not null and (
          coalesce(t.state = l.state and t.amount = l.amount, false)
          or coalesce(t.amount = l.other_amounts[array_position(l.other_states, t.state::text)], false)
        )
      ))::int as wrong,
      count(*) filter (where t.organisation_id <> ${world.organisationId}::uuid)::int as foreign
    from (select * from transactions where external_id >= ${first}) t
    full join bench_ledger l on l.external_id = t.external_id`;
}

/** Stored transactions of one run. */
async function storedOf(sql: Sql, { run }: WorkloadSpec, world: World): Promise<number> {
  const [row] = await sql<[{ stored: number }]>`
    select count(*)::int as stored from transactions
    where organisation_id = ${world.organisationId}
      and external_id >= ${firstExternalId(run)} and external_id < ${firstExternalId(run + 1)}`;
  return row.stored;
}

/** A repeated request may have met several fates. */
function countFates({ fates }: Evidence): Counted {
  const of = (bit: number) => fates.reduce((sum, fate) => sum + ((fate & bit) === 0 ? 0 : 1), 0);
  return { accepted: of(ACCEPTED), unknown: of(UNKNOWN), unexpected: of(UNEXPECTED) };
}

/**
 * Checks the answers alone: none that this workload must not get, and the sum of created events equals the
 * rows, except those of unanswered requests.
 */
function checkAnswers(run: Evidence, counted: Counted, stored: number): string[] {
  const faults = run.unexpected.map((text) => `an unexpected answer: ${text}`);
  if (counted.unexpected > 0) faults.push(`${counted.unexpected} requests refused`);
  if (run.processed === undefined) return faults;
  const { accepted, created, updated, unchanged } = run.processed;
  const events = counted.accepted * run.spec.size;
  const most = created + counted.unknown * run.spec.size;
  if (accepted !== events) faults.push(`answers speak of ${accepted} events, ${events} were accepted`);
  if (stored < created || stored > most) {
    faults.push(
      `answers speak of ${created} created${most > created ? ` to ${most}` : ""}, ${stored} are stored`,
    );
  }
  if (created + updated + unchanged !== accepted) faults.push("created, updated and unchanged do not add up");
  return faults;
}

/** Hashing all again would take as long as the run: so a sample, spread over it. */
async function checkIdentifiers(
  sql: Sql,
  run: Evidence,
  world: World,
  expected: Expected,
): Promise<string[]> {
  const stored = [...expected.certain.keys()].filter((number) => expected.certain[number] !== NOTHING);
  const step = Math.max(1, Math.floor(stored.length / SAMPLED_IDENTIFIERS));
  const sample = stored
    .filter((_, at) => at % step === 0)
    .map((number) => describeTransaction(run.spec.seed, run.spec.run, number, world.memberIds.length));
  const rows = await sql<{ external_id: string; six: string; eight: string | null }[]>`
    select external_id, encode(identifier_6, 'hex') as six, encode(identifier_8, 'hex') as eight
    from transactions
    where organisation_id = ${world.organisationId}
      and external_id = any(${sample.map((transaction) => transaction.externalId)}::text[])`;
  const byId = new Map(rows.map((row) => [row.external_id, row]));
  const wrong = sample.filter((transaction) => {
    const { six, eight } = transactionIdentifiers(transaction);
    const row = byId.get(transaction.externalId);
    return row !== undefined && (row.six !== six || row.eight !== eight);
  });
  return wrong.length === 0 ? [] : [`${wrong.length} of ${sample.length} sampled identifiers are wrong`];
}
