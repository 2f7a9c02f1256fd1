import { FLOW } from "#contract";
import type { Store } from "#postgres";
import { measureOutcomeQueue } from "../../services/platform/src/matching/outcome-queue.ts";
import { normaliseMerchantText } from "../../services/platform/src/rules/route-transaction.ts";
import { findDue } from "../../services/rewards/src/store/deal-candidates.ts";
import type { PlatformLink } from "./platform-link.ts";
import type { Pipeline } from "./start-pipeline.ts";

/**
 * Whether a pipeline with rewards and a platform has handled all messages, so that nothing more will follow.
 * It looks in the order of the flow, so that no message slips past between two looks.
 */
export async function isLoopAtRest({ store, platformStore }: Pipeline, link: PlatformLink): Promise<boolean> {
  if (!(await link.isAtRest())) return false;
  // New links may count for earlier purchases: records of these are still to be published.
  const [{ linking }] = await store<[{ linking: boolean }]>`
    select exists (select from new_links) or exists (select from late_retroactive) as linking`;
  if (linking) return false;
  if (!(await link.isEmpty(FLOW.platformTransactions))) return false;
  if ((await measureOutcomeQueue(platformStore)).outcomes > 0) return false;
  const [{ unpublished }] = await platformStore<[{ unpublished: boolean }]>`
    select exists (select from platform.loyalty_programs where published_revision < revision)
      or exists (select from platform.deals where published_revision < revision) as unpublished`;
  if (unpublished || !(await link.isAtRest())) return false;
  if (await isRetailerLate(platformStore)) return false;
  // A clip that is open again is redeemed a little later.
  return (await findDue(store, undefined)).length === 0;
}

/** Whether purchases whose merchant id has got a retailer are still to be read again. */
async function isRetailerLate(store: Store): Promise<boolean> {
  const kept = await store<
    { id: string }[]
  >`select distinct merchant_id as id from platform.unrouted_records`;
  if (kept.length === 0) return false;
  const owned = await store<{ id: string }[]>`
    select distinct jsonb_array_elements_text(settings -> 'merchantIds') as id
    from platform.revisions where kind = 'retailer' and settings is not null`;
  const ids = new Set(owned.map(({ id }) => normaliseMerchantText(id)));
  return kept.some(({ id }) => ids.has(id));
}
