import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import postgres, { type Sql } from "postgres";
import { transactionIdentifiers } from "#domain";
import { describeTransaction, firstExternalId } from "./event-text.ts";
import { ACCEPTED, type ProcessedCounts, UNEXPECTED, UNKNOWN } from "./tally.ts";
import { AUTHORIZED, NOTHING, planLane, type WorkloadSpec } from "./workload.ts";
import type { World } from "./world.ts";

/**
 * What the database must hold after a run, told from the requests and their answers alone. Nothing depends on the
 * order in which they took effect: a transaction is settled once at most, and whatever comes after that changes
 * nothing.
 */
interface Expected {
  /** By transaction number: the state that the accepted events add up to. */
  readonly certain: Uint8Array;
  /** The state it may have instead, if an event whose request got no answer took effect; NOTHING: none. */
  readonly possible: Uint8Array;
  /** Accepted events. */
  readonly events: number;
}

function expectAfter(spec: WorkloadSpec, fates: Uint8Array): Expected {
  const numbers = spec.lanes * spec.requestsPerLane * spec.size;
  const certain = new Uint8Array(numbers);
  const possible = new Uint8Array(numbers);
  let events = 0;
  for (let lane = 0; lane < spec.lanes; lane++) {
    const plan = planLane(spec, lane);
    for (let at = 0; at < plan.transactions.length; at++) {
      const fate = fates[lane * spec.requestsPerLane + Math.floor(at / spec.size)] as number;
      const state = plan.states[at] as number;
      const number = plan.transactions[at] as number;
      if (fate & ACCEPTED) {
        events++;
        certain[number] = Math.max(certain[number] as number, state);
      } else if (fate & UNKNOWN) possible[number] = Math.max(possible[number] as number, state);
    }
  }
  for (let number = 0; number < numbers; number++) {
    // An authorization on top of something that is certain changes nothing.
    if ((possible[number] as number) <= (certain[number] as number)) possible[number] = NOTHING;
  }
  return { certain, possible, events };
}

/** Adds the expectation of one run to the table `bench_ledger` beside the subject's own. */
async function recordExpected(sql: Sql, spec: WorkloadSpec, world: World, expected: Expected): Promise<void> {
  await sql`
    create unlogged table if not exists bench_ledger (
      external_id text collate "C" not null, member_id uuid not null, state text, amount bigint,
      other_state text, other_amount bigint
    )`;
  const copy = await sql`copy bench_ledger from stdin`.writable();
  await pipeline(Readable.from(ledgerLines(spec, world, expected)), copy);
}

const ROWS_PER_CHUNK = 1_000;
const STATES = ["\\N", "authorized", "cleared", "reverted"] as const;

function* ledgerLines(spec: WorkloadSpec, world: World, { certain, possible }: Expected): Generator<string> {
  let chunk = "";
  let rows = 0;
  for (let number = 0; number < certain.length; number++) {
    const state = certain[number] as number;
    const other = possible[number] as number;
    if (state === NOTHING && other === NOTHING) continue;
    const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
    const amountAt = (at: number) =>
      at === NOTHING ? "\\N" : at === AUTHORIZED ? transaction.amount : transaction.settledAmount;
    chunk += `${transaction.externalId}\t${world.memberIds[transaction.member]}\t${STATES[state]}\t${amountAt(state)}\t`;
    chunk += `${STATES[other]}\t${amountAt(other)}\n`;
    rows++;
    if (rows % ROWS_PER_CHUNK !== 0) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** One run against a database: what was sent, and what was answered. */
export interface Evidence {
  readonly spec: WorkloadSpec;
  readonly fates: Uint8Array;
  /** Sum of the 200 answers; undefined where the answers do not count (202, ceiling). */
  readonly processed?: ProcessedCounts | undefined;
  readonly unexpected: readonly string[];
}

export interface Verdict {
  /** Transactions that were compared. */
  readonly transactions: number;
  /** Accepted events that led to them. */
  readonly events: number;
  /** Empty: every accepted event is stored once, the states and amounts are right, and nothing else is there. */
  readonly faults: readonly string[];
}

const SAMPLED_IDENTIFIERS = 200;

/** Holds a database to the answers that its subject gave: all runs together, row by row. */
export async function verify(databaseUrl: string, world: World, runs: readonly Evidence[]): Promise<Verdict> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const faults: string[] = [];
  let events = 0;
  try {
    await sql`drop table if exists bench_ledger`;
    for (const run of runs) {
      const expected = expectAfter(run.spec, run.fates);
      events += expected.events;
      await recordExpected(sql, run.spec, world, expected);
      faults.push(...checkAnswers(run, expected), ...(await checkIdentifiers(sql, run, world, expected)));
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
          (t.state = l.state and t.amount = l.amount)
          or coalesce(t.state = l.other_state and t.amount = l.other_amount, false)
        )
      ))::int as wrong,
      count(*) filter (where t.organisation_id <> ${world.organisationId}::uuid)::int as foreign
    from (select * from transactions where external_id >= ${first}) t
    full join bench_ledger l on l.external_id = t.external_id`;
}

/** The answers among themselves: nothing that this workload does not deserve, and as many created as there are. */
function checkAnswers(run: Evidence, { certain, events }: Expected): string[] {
  const faults = run.unexpected.map((text) => `an unexpected answer: ${text}`);
  const of = (bit: number) => run.fates.reduce((sum, fate) => sum + ((fate & bit) === 0 ? 0 : 1), 0);
  if (of(UNEXPECTED) > 0) faults.push(`${of(UNEXPECTED)} requests refused`);
  if (run.processed === undefined || of(UNKNOWN) > 0) return faults;
  const { accepted, created, updated, unchanged } = run.processed;
  const stored = certain.reduce((sum, state) => sum + (state === NOTHING ? 0 : 1), 0);
  if (accepted !== events) faults.push(`answers speak of ${accepted} events, ${events} were accepted`);
  if (created !== stored) faults.push(`answers speak of ${created} created, the requests of ${stored}`);
  if (created + updated + unchanged !== accepted) faults.push("created, updated and unchanged do not add up");
  return faults;
}

/** Hashing all again would take as long as the run: a sample, spread over it. */
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
