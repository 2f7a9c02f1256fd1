import type { Store } from "#postgres";
import { verifyRewards } from "#publisher-db";
import { type RewardPlan, type Settling, settlingOf } from "./reward-plan.ts";

/** The number of each kind of record, by a name for people. */
type Counts = Readonly<Record<string, number>>;

/**
 * The expected rows once the outcomes are applied and the earnings of these phases are settled. They do not
 * depend on the order: a collection with s stamps and a threshold t makes s / t redemptions, whichever stamps
 * they take; they are all paid, or all undone with every stamp of theirs unredeemed except the voided one.
 */
export function expectedCounts(plan: RewardPlan, settled: readonly Settling[]): Counts {
  const stampsOf = new Map<number, number>();
  const cashbacks = { pending: 0, cleared: 0, reverted: 0 };
  let deals = 0;
  let opened = 0;
  for (const outcome of plan.outcomes) {
    if (outcome.kind === "purchase") {
      stampsOf.set(outcome.collection, (stampsOf.get(outcome.collection) ?? 0) + 1);
      continue;
    }
    deals++;
    const { settling, state } = settlingOf(outcome);
    const fate = settled.includes(settling) ? state : "pending";
    cashbacks[fate]++;
    // In the plan no member saves a deal twice, so a clip whose purchase is reverted is open again.
    if (fate === "reverted") opened++;
  }
  const sum = { stamps: 0, voided: 0, redemptions: 0, undone: 0, unredeemed: 0, counted: 0 };
  for (const [number, stamps] of stampsOf) {
    const { program } = plan.collections[number] as (typeof plan.collections)[number];
    const { threshold } = plan.programs[program] as (typeof plan.programs)[number];
    const redemptions = Math.floor(stamps / threshold);
    const { settling, state } = settlingOf({ kind: "purchase", collection: number });
    const fate = settled.includes(settling) ? state : "pending";
    sum.stamps += stamps;
    sum.redemptions += redemptions;
    cashbacks[fate] += redemptions;
    if (fate === "reverted") {
      sum.voided += stamps;
      sum.undone += redemptions;
      sum.unredeemed += redemptions * (threshold - 1);
    } else {
      sum.counted += stamps - redemptions * threshold;
    }
  }
  return withoutNothing({
    stamps: sum.stamps,
    "stamps voided": sum.voided,
    redemptions: sum.redemptions,
    "redemptions undone": sum.undone,
    "unredeemed purchases": sum.counted,
    "clips redeemed": deals - opened,
    "cashbacks pending": cashbacks.pending,
    "cashbacks cleared": cashbacks.cleared,
    "cashbacks reverted": cashbacks.reverted,
    "qualifying_purchase.created": sum.stamps,
    "qualifying_purchase.voided": sum.voided,
    "qualifying_purchase.unredeemed": sum.unredeemed,
    "cashback.created": sum.redemptions + deals,
    "cashback.cleared": cashbacks.cleared,
    "cashback.reverted": cashbacks.reverted,
  });
}

async function storedCounts(store: Store): Promise<Counts> {
  const rows = await store<{ what: string; count: number }[]>`
    select 'stamps' as what, count(*) from qualifying_purchases
    union all select 'stamps voided', count(*) from qualifying_purchases where voided_at is not null
    union all select 'redemptions', count(*) from redemptions
    union all select 'redemptions undone', count(*) from redemptions where undone_at is not null
    union all select 'unredeemed purchases', coalesce(sum(unredeemed_purchases), 0)::bigint from stamp_collections
    union all select 'clips redeemed', count(*) from clips where redeemed_at is not null
    union all select 'cashbacks ' || state, count(*) from cashbacks group by state
    union all select type, count(*) from events group by type`;
  return withoutNothing(Object.fromEntries(rows.map(({ what, count }) => [what, count])));
}

/** @returns the failed expectations: counts that differ, and contradictions that `verifyRewards` finds */
export async function rewardFaults(store: Store, expected: Counts): Promise<string[]> {
  const stored = await storedCounts(store);
  const names = new Set([...Object.keys(expected), ...Object.keys(stored)]);
  const differing = [...names].filter((name) => stored[name] !== expected[name]);
  const counted = differing.map((name) => `${name}: ${stored[name] ?? 0}, not ${expected[name] ?? 0}`);
  return [...counted, ...(await contradictions(store))];
}

/** Counts everything that the reward engine has stored, when nothing is under way. */
export async function contradictions(store: Store): Promise<string[]> {
  const { faults, lagging } = await verifyRewards(store);
  const found = faults.map(({ kind, id, detail }) => `${kind} ${id}: ${detail}`);
  return lagging === 0
    ? found
    : [...found, `${lagging} rewards whose transaction has settled do not know it`];
}

function withoutNothing(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
