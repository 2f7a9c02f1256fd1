import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "postgres";
import { describeTransaction } from "./event-text.ts";
import { ACCEPTED, UNKNOWN } from "./tally.ts";
import { AUTHORIZED, NOTHING, planLane, type WorkloadSpec } from "./workload.ts";
import type { World } from "./world.ts";

/**
 * What the database must hold after a run, told from the requests and their answers alone. Nothing depends on the
 * order in which they took effect: a transaction is settled once at most, and whatever comes after that changes
 * nothing.
 */
export interface Expected {
  /** By transaction number: the state that the accepted events add up to. */
  readonly certain: Uint8Array;
  /** The state it may have instead, if an event whose request got no answer took effect; NOTHING: none. */
  readonly possible: Uint8Array;
  /** Accepted events. */
  readonly events: number;
}

export function expectAfter(spec: WorkloadSpec, fates: Uint8Array): Expected {
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
export async function recordExpected(
  sql: Sql,
  spec: WorkloadSpec,
  world: World,
  expected: Expected,
): Promise<void> {
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
