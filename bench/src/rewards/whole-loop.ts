import { hash } from "node:crypto";
import { FLOW } from "#contract";
import { createTokenSecret, hashTokenSecret } from "#domain";
import type { Store } from "#postgres";
import { dealTable } from "../../../services/platform/src/configuration/deals.ts";
import { programTable } from "../../../services/platform/src/configuration/programs.ts";
import { createRetailer } from "../../../services/platform/src/retailers/retailer-rows.ts";
import { seededUuid } from "../random.ts";
import type { Stampede } from "../subjects/stampede.ts";
import { EPOCH_MS } from "../world.ts";
import { DISPLAY_CONTENT } from "./fill-rewards.ts";
import { isQueueEmpty } from "./measure-platform.ts";
import { merchantsOf, PIPELINE_RETAILERS } from "./pay-along.ts";

const PROGRAMS = 5;
const CLIP_EVERY = 10;

export function retailerTokens(seed: number): string[] {
  return Array.from({ length: PIPELINE_RETAILERS }, (_, i) =>
    createTokenSecret(hash("sha256", `stampede bench pipeline ${seed} ${i}`, "buffer")),
  );
}

/** Retailers, programs that count at all of them, a deal; and every member enrolled. */
export async function configureLoop(store: Store, seed: number): Promise<void> {
  for (const [i, token] of retailerTokens(seed).entries()) {
    await createRetailer(store, {
      id: seededUuid(EPOCH_MS, seed + 91, i),
      name: `Retailer ${i}`,
      merchantIds: merchantsOf(i),
      statementDescriptors: [],
      tokenHash: hashTokenSecret(token),
    });
  }
  const all = Array.from({ length: PIPELINE_RETAILERS }, (_, i) => merchantsOf(i)).flat();
  const common = {
    displayContent: DISPLAY_CONTENT,
    rules: { merchant_ids: all, confirmation: "retailer", retroactive: true },
  } as const;
  const programs = Array.from({ length: PROGRAMS }, (_, i) => seededUuid(EPOCH_MS, seed + 92, i));
  for (const [i, id] of programs.entries()) {
    const terms = { qualifyingThreshold: 5 + i, rewardConfig: { type: "refund" } } as const;
    await programTable.create(store, { id, name: `Program ${i}`, ...terms, ...common });
  }
  const dealId = seededUuid(EPOCH_MS, seed + 93, 0);
  const rewardConfig = { type: "percent", percent: 5 } as const;
  await dealTable.create(store, {
    id: dealId,
    name: "Deal",
    rewardConfig,
    startsAt: null,
    endsAt: null,
    ...common,
  });
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
    select md5('collection' || id)::uuid, organisation_id, id, (${programs}::uuid[])[1 + at % ${PROGRAMS}]
    from (select id, organisation_id, row_number() over (order by id)::int as at from members) as member`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    select md5('clip' || id)::uuid, organisation_id, id, ${dealId}::uuid
    from (select id, organisation_id, row_number() over (order by id)::int as at from members) as member
    where at % ${CLIP_EVERY} = 0`;
  await store`update members set linked = true`;
  await store.script("vacuum analyze");
}

/** In the order in which things go, so that nothing passes between two looks. */
export async function isLoopEmpty(subject: Stampede, store: Store): Promise<boolean> {
  const isEmpty = async (stream: string): Promise<boolean> => (await subject.messagesIn(stream)) === 0;
  return (
    (await isEmpty(FLOW.ingest.stream)) &&
    (await isEmpty(FLOW.platformTransactions.stream)) &&
    (await isQueueEmpty(store)) &&
    (await isEmpty(FLOW.outcomes.stream)) &&
    (await isEmpty(FLOW.settlement.stream))
  );
}
