/**
 * A merchant id or statement descriptor as it is compared: trimmed and upper-cased, like the merchant id in a
 * transaction identifier (contract, section 7). Two spellings that make the same identifier must not take
 * different routes, else a payment and a record with equal identifiers would never meet.
 */
export function normaliseMerchantText(text: string): string {
  return text.trim().toUpperCase();
}

/** What routing needs to know of a retailer (contract, section 8). */
export interface RetailerRoutes {
  readonly id: string;
  readonly merchantIds: readonly string[];
  /**
   * Prefixes; they are only looked at where another retailer has the same merchant id. Blank ones count for
   * nothing.
   */
  readonly statementDescriptors: readonly string[];
}

/**
 * To which retailer a record belongs. `shared`: several retailers have its merchant id, and the descriptor
 * decided. The outcomes are stable, for metrics.
 */
export type Route =
  | { readonly outcome: "routed"; readonly retailerId: string; readonly shared: boolean }
  /**
   * Several retailers have the same longest prefix. None of them gets the record; in the order of their ids.
   */
  | { readonly outcome: "ambiguous"; readonly retailerIds: readonly string[] }
  | { readonly outcome: "unknown_merchant" | "no_descriptor_matches" };

/**
 * Where records of a shared merchant id go, by prefix; and the lengths of the prefixes, the longest first.
 */
interface SharedMerchant {
  readonly lengths: readonly number[];
  readonly byPrefix: ReadonlyMap<string, Route>;
}

/** Made by `indexRoutes`. The keys are normalised merchant ids (`normaliseMerchantText`). */
export type RouteIndex = ReadonlyMap<string, Route | SharedMerchant>;

const UNKNOWN_MERCHANT: Route = Object.freeze({ outcome: "unknown_merchant" });
const NO_DESCRIPTOR_MATCHES: Route = Object.freeze({ outcome: "no_descriptor_matches" });

/**
 * To be called once after each change of the retailers. Their order does not matter; their ids are unique.
 */
export function indexRoutes(retailers: Iterable<RetailerRoutes>): RouteIndex {
  const owners = new Map<string, RetailerRoutes[]>();
  for (const retailer of retailers) {
    for (const merchantId of new Set(retailer.merchantIds.map(normaliseMerchantText))) {
      addTo(owners, merchantId, retailer);
    }
  }
  const index = new Map<string, Route | SharedMerchant>();
  for (const [merchantId, sharers] of owners) {
    const [first] = sharers;
    const sole = sharers.length === 1 && first !== undefined;
    index.set(merchantId, sole ? routeTo([first.id], false) : shareByPrefix(sharers));
  }
  return index;
}

/**
 * Finds a record's retailer by merchant id, and where several retailers share it, by the longest of their
 * prefixes that the descriptor begins with. A retailer without prefixes gets no record of a shared merchant
 * id: what nobody claims by name may be anybody's. Takes one look-up for most records, and one for each
 * length of prefix where the merchant id is shared. It makes no objects: nine of ten records end here.
 */
export function routeTransaction(
  index: RouteIndex,
  merchantId: string,
  statementDescriptor: string | null,
): Route {
  const found = index.get(normaliseMerchantText(merchantId));
  if (found === undefined) return UNKNOWN_MERCHANT;
  if ("outcome" in found) return found;
  if (statementDescriptor === null) return NO_DESCRIPTOR_MATCHES;
  const descriptor = normaliseMerchantText(statementDescriptor);
  for (const length of found.lengths) {
    const route = found.byPrefix.get(descriptor.slice(0, length));
    if (route !== undefined) return route;
  }
  return NO_DESCRIPTOR_MATCHES;
}

function shareByPrefix(sharers: readonly RetailerRoutes[]): SharedMerchant {
  const owners = new Map<string, string[]>();
  for (const retailer of sharers) {
    for (const prefix of prefixesOf(retailer)) addTo(owners, prefix, retailer.id);
  }
  const byPrefix = new Map([...owners].map(([prefix, ids]) => [prefix, routeTo(ids, true)]));
  const lengths = [...new Set([...owners.keys()].map((prefix) => prefix.length))].sort((a, b) => b - a);
  return { lengths, byPrefix };
}

function routeTo(ids: readonly string[], shared: boolean): Route {
  const [retailerId] = ids;
  if (ids.length === 1 && retailerId !== undefined) {
    return Object.freeze({ outcome: "routed", retailerId, shared });
  }
  return Object.freeze({ outcome: "ambiguous", retailerIds: Object.freeze([...ids].sort()) });
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
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

/** Without blank ones: every descriptor begins with them. */
function prefixesOf({ statementDescriptors }: RetailerRoutes): ReadonlySet<string> {
  return new Set(statementDescriptors.map(normaliseMerchantText).filter((prefix) => prefix !== ""));
}
