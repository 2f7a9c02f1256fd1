import { normaliseMerchantText } from "./merchant-text.ts";
import type { RetailerRoutes } from "./route-transaction.ts";

/** A merchant id that two retailers cannot both have. */
export interface MerchantConflict {
  /** As the new retailer spells it. */
  readonly merchantId: string;
  /** The retailer that has it already. */
  readonly retailerId: string;
}

/**
 * The first merchant id of a retailer that another retailer has too, unless descriptors tell the two apart:
 * both have at least one, and none in common. If one descriptor is the beginning of the other, the longer one
 * decides (`routeTransaction`), so they too are told apart. Two retailers that nothing tells apart would both
 * get nothing.
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

/** Blank descriptors do not count. */
function prefixesOf({ statementDescriptors }: RetailerRoutes): ReadonlySet<string> {
  return new Set(statementDescriptors.map(normaliseMerchantText).filter((prefix) => prefix !== ""));
}
