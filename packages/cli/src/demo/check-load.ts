import { decodeId } from "#domain";
import type { Store } from "#postgres";
import {
  authorizationOf,
  countLoad,
  finalState,
  type LoadCounts,
  type LoadWorld,
  numberOf,
  prefixOf,
} from "./load-plan.ts";
import type { Section } from "./report.ts";
import type { LoadResult } from "./run-load.ts";
import { type Cast, PROGRAM } from "./shop.ts";
import type { ToldEvents } from "./told-events.ts";

/** Rows of one statement. */
const PAGE_ROWS = 20_000;
const EXAMPLES = 5;

/** Compares every purchase of the load with its row in PostgreSQL. */
export async function checkTransactions(
  store: Store,
  organisationId: string,
  world: LoadWorld,
  load: LoadResult,
): Promise<Section> {
  const counts = countLoad(world, load.blocks, PROGRAM.threshold);
  const found = await readTransactions(store, organisationId, world, load.blocks);
  const missing = counts.purchases - found.seen;
  const examples = [...found.examples];
  if (missing > 0) examples.push(`${missing} purchases were sent and are not stored`);
  if (load.rejected > 0) examples.push(`${load.rejected} events were refused`);
  return {
    title: "transactions",
    source: "PostgreSQL",
    rows: [
      { name: "events sent", expected: counts.events, actual: load.sent },
      { name: "answered", indent: 1, expected: load.sent, actual: load.committed + load.accepted },
      { name: "purchases stored", expected: counts.purchases, actual: found.rows },
      { name: "cleared", indent: 1, expected: counts.cleared, actual: found.cleared },
      { name: "as they were sent, in every field", expected: counts.purchases, actual: found.equal },
    ],
    examples,
  };
}

interface StoredRow {
  readonly id: string;
  readonly memberId: string | null;
  readonly state: string;
  readonly merchantId: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: Date;
}

async function readTransactions(store: Store, organisationId: string, world: LoadWorld, blocks: number) {
  const prefix = prefixOf(world.tag);
  const found = { rows: 0, seen: 0, cleared: 0, equal: 0, examples: [] as string[] };
  const isSeen = new Uint8Array(countLoad(world, blocks, PROGRAM.threshold).purchases);
  for (let after = prefix; ; ) {
    const rows = await store<StoredRow[]>`
      select external_id as id, member_id as "memberId", state, merchant_id as "merchantId", amount, currency,
        authed_at as "authedAt"
      from transactions
      where organisation_id = ${organisationId} and external_id ^@ ${prefix} and external_id > ${after}
      order by external_id
      limit ${PAGE_ROWS}`;
    for (const row of rows) {
      found.rows++;
      const number = numberOf(row.id);
      if (isSeen[number] === 0) found.seen++;
      isSeen[number] = 1;
      if (row.state === "cleared") found.cleared++;
      if (isAsSent(row, world, number, blocks)) found.equal++;
      else if (found.examples.length < EXAMPLES)
        found.examples.push(`${row.id} is not stored as it was sent`);
    }
    const last = rows.at(-1);
    if (last === undefined) return found;
    after = last.id;
  }
}

function isAsSent(row: StoredRow, world: LoadWorld, number: number, blocks: number): boolean {
  const sent = authorizationOf(world, number);
  return (
    row.id === sent.external_id &&
    row.memberId === decodeId("m", sent.member_id) &&
    row.state === finalState(number, blocks) &&
    row.merchantId === sent.merchant_id &&
    row.amount === sent.amount &&
    row.currency === sent.currency &&
    row.authedAt.toISOString() === sent.authed_at
  );
}

/** The rewards of the load in PostgreSQL. */
interface EarnedCounts {
  readonly stamps: number;
  /** The sum of the cards' counters. */
  readonly unredeemed: number;
  readonly redemptions: number;
  readonly cashbacksCleared: number;
  /** Minor units, of cashbacks in all states. */
  readonly cashbackAmount: number;
}

/** Read by the enrolled members, whom this run alone has. */
export async function readEarned(store: Store, { programId, enrolledIds }: Cast): Promise<EarnedCounts> {
  const program = decodeId("lp", programId) ?? "";
  const members = enrolledIds.map((id) => decodeId("m", id) ?? "");
  const [row] = await store<EarnedCounts[]>`
    with cards as (
      select id, unredeemed_purchases from stamp_collections
      where member_id = any (${members}::uuid[]) and loyalty_program_id = ${program})
    select
      (select count(*)::int from qualifying_purchases
       where voided_at is null and stamp_collection_id in (select id from cards)) as stamps,
      (select coalesce(sum(unredeemed_purchases), 0)::int from cards) as unredeemed,
      (select count(*)::int from redemptions
       where undone_at is null and stamp_collection_id in (select id from cards)) as redemptions,
      (select count(*)::int from cashbacks
       where state = 'cleared' and member_id = any (${members}::uuid[])) as "cashbacksCleared",
      (select coalesce(sum(amount), 0)::bigint from cashbacks
       where member_id = any (${members}::uuid[])) as "cashbackAmount"`;
  return row as EarnedCounts;
}

/** Compares the demo's own count with PostgreSQL and with the webhook events. */
export function judgeEarned(
  counts: LoadCounts,
  earned: EarnedCounts,
  told: ToldEvents,
  payments: number,
): Section[] {
  const { stamps, redemptions, unredeemed } = counts;
  return [
    {
      title: "rewards",
      source: "PostgreSQL",
      rows: [
        { name: "payments taken by the platform", expected: stamps, actual: payments },
        { name: "stamps", expected: stamps, actual: earned.stamps },
        { name: "on cards that are not full", indent: 1, expected: unredeemed, actual: earned.unredeemed },
        { name: "full cards redeemed", expected: redemptions, actual: earned.redemptions },
        { name: "cashbacks, all of them cleared", expected: redemptions, actual: earned.cashbacksCleared },
        {
          name: "their sum in cents",
          indent: 1,
          expected: redemptions * PROGRAM.reward,
          actual: earned.cashbackAmount,
        },
      ],
      examples: [],
    },
    {
      title: "events told",
      source: "webhook",
      rows: [
        {
          name: "qualifying_purchase.created",
          expected: stamps,
          actual: told.count("qualifying_purchase.created"),
        },
        { name: "cashback.created", expected: redemptions, actual: told.count("cashback.created") },
        { name: "cashback.cleared", expected: redemptions, actual: told.count("cashback.cleared") },
        { name: "of other types", expected: 0, actual: told.strange },
        { name: "that say again what another said", expected: 0, actual: told.twice },
        { name: "deliveries that do not verify", expected: 0, actual: told.refused },
      ],
      examples: [],
    },
  ];
}

/** Whether all rewards and webhook events of the load are there. */
export function isEarned(counts: LoadCounts, earned: EarnedCounts, told: ToldEvents): boolean {
  return judgeEarned(counts, earned, told, counts.stamps).every(({ rows }) =>
    rows.every(({ expected, actual }) => expected === actual),
  );
}
