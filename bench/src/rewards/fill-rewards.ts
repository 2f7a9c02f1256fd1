import type { Store } from "#postgres";
import { applyDealConfig, applyProgramConfig } from "../../../services/rewards/src/handle-config.ts";
import { fillDatabase, type World } from "../ingest/world.ts";
import type { RewardPlan } from "./reward-plan.ts";

const ROWS_PER_STATEMENT = 50_000;
const MOMENT = "2026-01-01T00:00:00.000000Z";
// The transactions are in the past, and the links are made now.
const TIMES = { createdAt: MOMENT, updatedAt: MOMENT, retroactive: true };
export const DISPLAY_CONTENT = { title: "T", image: "I", summary: "S", description: "D", terms: "C" };

/** Members, their links, and authorized transactions: those of the plan's outcomes and `plain` more. */
export async function fillRewards(
  store: Store,
  url: string,
  plan: RewardPlan,
  world: World,
  plain: number,
): Promise<void> {
  await fillDatabase(url, plan.spec.seed, world);
  await configure(store, plan);
  await insertLinks(store, plan, world);
  const total = plan.spec.outcomes + plain;
  for (let first = 0; first < total; first += ROWS_PER_STATEMENT) {
    await insertTransactions(store, plan, world, first, Math.min(total, first + ROWS_PER_STATEMENT));
  }
}

async function configure(store: Store, { programs, deals }: RewardPlan): Promise<void> {
  for (const [i, { id, threshold }] of programs.entries()) {
    const record = {
      name: `Program ${i}`,
      qualifyingThreshold: threshold,
      // Both kinds, in turn.
      rewardConfig:
        i % 2 === 0 ? ({ type: "refund" } as const) : ({ type: "fixed-reward", amount: 500 } as const),
      displayContent: DISPLAY_CONTENT,
      currency: "EUR",
      ...TIMES,
    };
    await applyProgramConfig(store, { id, revision: 1, record });
  }
  for (const [i, id] of deals.entries()) {
    const record = {
      name: `Deal ${i}`,
      rewardConfig: { type: "percent", percent: 5 } as const,
      displayContent: DISPLAY_CONTENT,
      ...TIMES,
    };
    await applyDealConfig(store, { id, revision: 1, record });
  }
}

async function insertLinks(store: Store, plan: RewardPlan, world: World): Promise<void> {
  const { collections, clips, programs, deals } = plan;
  const memberOf = ({ member }: { readonly member: number }) => world.memberIds[member] as string;
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, created_at)
    select id, ${world.organisationId}::uuid, member_id, program_id, ${MOMENT}::text::timestamptz
    from unnest(
      ${collections.map(({ id }) => id)}::uuid[], ${collections.map(memberOf)}::uuid[],
      ${collections.map(({ program }) => programs[program]?.id as string)}::uuid[]
    ) as given (id, member_id, program_id)`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id, created_at)
    select id, ${world.organisationId}::uuid, member_id, deal_id, ${MOMENT}::text::timestamptz
    from unnest(
      ${clips.map(({ id }) => id)}::uuid[], ${clips.map(memberOf)}::uuid[],
      ${clips.map(({ deal }) => deals[deal] as string)}::uuid[]
    ) as given (id, member_id, deal_id)`;
  await store`update members set linked = true`;
}

async function insertTransactions(
  store: Store,
  plan: RewardPlan,
  world: World,
  first: number,
  end: number,
): Promise<void> {
  const numbers = Array.from({ length: end - first }, (_, i) => first + i);
  await store`
    insert into transactions (
      authed_at, organisation_id, id, amount, member_id, external_id, state, network, merchant_id,
      identifier_6, identifier_8, statement_descriptor, currency
    )
    select
      ${MOMENT}::text::timestamptz, ${world.organisationId}::uuid, id, amount, member_id, id::text, 'authorized',
      'visa', 'MID-' || amount % 5000, sha256(id::text::bytea), sha256(('8' || id)::bytea),
      'SHOP ' || amount % 5000 || ' BERLIN DE', 'EUR'
    from unnest(
      ${numbers.map((number) => plan.transactionId(number))}::uuid[],
      ${numbers.map((number) => world.memberIds[plan.memberOf(number)] as string)}::uuid[],
      ${numbers.map((number) => plan.amountOf(number))}::bigint[]
    ) as given (id, member_id, amount)`;
}

/** Clears or reverts transactions, like ingest. */
export async function settleTransactions(
  store: Store,
  plan: RewardPlan,
  world: World,
  settled: ReadonlyArray<{ readonly number: number; readonly state: "cleared" | "reverted" }>,
): Promise<void> {
  for (let at = 0; at < settled.length; at += ROWS_PER_STATEMENT) {
    const chunk = settled.slice(at, at + ROWS_PER_STATEMENT);
    await store`
      update transactions set
        state = given.state, updated_at = now(),
        cleared_at = case when given.state = 'cleared' then now() end,
        reverted_at = case when given.state = 'reverted' then now() end
      from unnest(
        ${chunk.map(({ number }) => plan.transactionId(number))}::text[], ${chunk.map(({ state }) => state)}::text[]
      ) as given (external_id, state)
      where organisation_id = ${world.organisationId}::uuid and transactions.external_id = given.external_id`;
  }
}
