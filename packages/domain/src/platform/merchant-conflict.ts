import { normaliseMerchantText } from "./merchant-text.ts";
import type { RetailerRoutes } from "./route-transaction.ts";

/** A merchant id that two retailers cannot both have. */
export interface MerchantConflict {
  /** As the newcomer gives it. */
  readonly merchantId: string;
  /** Who has it. */
  readonly retailerId: string;
}

/**
 * The first merchant id of a retailer that another one has, unless both have descriptors that tell them apart: at least
 * one each, and none in common. Where one begins like the other the longer one decides (`routeTransaction`), so that tells
 * them apart. Two that nothing tells apart would both get nothing.
 * @param others without the retailer itself
 */
export function findMerchantConflict(
  retailer: RetailerRoutes,
  others: Iterable<RetailerRoutes>,
): MerchantConflict | undefined {
  const wanted = new Map(retailer.merchantIds.map((id) => [normaliseMerchantText(id), id]));
  const own = prefixesOf(retailer);
  for (const other of others) {
    const shared = other.merchantIds.map(normaliseMerchantText).find((id) => wanted.has(id));
    if (shared === undefined) continue;
    const theirs = prefixesOf(other);
    const areToldApart = own.size > 0 && theirs.size > 0 && [...own].every((prefix) => !theirs.has(prefix));
    if (!areToldApart) return { merchantId: wanted.get(shared) as string, retailerId: other.id };
  }
  return undefined;
}

/** Blank ones count for nothing. */
function prefixesOf({ statementDescriptors }: RetailerRoutes): ReadonlySet<string> {
  return new Set(statementDescriptors.map(normaliseMerchantText).filter((prefix) => prefix !== ""));
}
