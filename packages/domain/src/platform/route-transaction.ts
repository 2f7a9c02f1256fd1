import {
  normaliseMerchantText,
  prefixesOf,
  type RetailerRoutes,
  type Route,
  type RouteIndex,
  valueAt,
} from "./route-index.ts";

export const UNKNOWN_MERCHANT: Route = Object.freeze({ outcome: "unknown_merchant" });
const NO_DESCRIPTOR_MATCHES: Route = Object.freeze({ outcome: "no_descriptor_matches" });

/**
 * Finds a record's retailer by merchant id, and where several retailers share it, by the longest of their
 * prefixes that the descriptor begins with. A retailer without prefixes gets no record of a shared merchant
 * id: what nobody claims by name may be anybody's. Takes one look-up for most records, and one for each
 * length of prefix where the merchant id is shared. It makes no objects: nine of ten records end here.
 *
 * Before anybody had a merchant id, it is of who had it first; nobody who gets it later changes that. So a purchase of then has one
 * answer, or none yet (`unrouted-records.ts` of the platform keeps it).
 * @param authedAt of the purchase, in microseconds since 1970
 */
export function routeTransaction(
  index: RouteIndex,
  merchantId: string,
  statementDescriptor: string | null,
  authedAt: number,
): Route {
  const owners = index.get(normaliseMerchantText(merchantId));
  if (owners === undefined) return UNKNOWN_MERCHANT;
  const { owner, lengths, byPrefix } = owners;
  const at = Math.max(authedAt, owner[0]?.since ?? authedAt);
  const route = valueAt(owner, at) ?? UNKNOWN_MERCHANT;
  if (route !== "shared") return route;
  if (statementDescriptor === null) return NO_DESCRIPTOR_MATCHES;
  const descriptor = normaliseMerchantText(statementDescriptor);
  for (const length of lengths) {
    const claims = byPrefix.get(descriptor.slice(0, length));
    const claimed = claims && valueAt(claims, at);
    if (claimed !== undefined) return claimed;
  }
  return NO_DESCRIPTOR_MATCHES;
}

/** Whether a retailer has a merchant id at a moment. */
export function isRouted(index: RouteIndex, merchantId: string, at: number): boolean {
  return routeTransaction(index, merchantId, null, at).outcome !== "unknown_merchant";
}

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
