import { type Revision, Revisions } from "./revisions.ts";

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

/** Where records of a merchant id go from a moment on. */
interface Ownership {
  /** Microseconds since 1970. */
  readonly since: number;
  readonly owner: Route | SharedMerchant;
}

/** Made by `indexRoutes`. The keys are normalised merchant ids (`normaliseMerchantText`); the oldest ownership first. */
export type RouteIndex = ReadonlyMap<string, readonly Ownership[]>;

const UNKNOWN_MERCHANT: Route = Object.freeze({ outcome: "unknown_merchant" });
const NO_DESCRIPTOR_MATCHES: Route = Object.freeze({ outcome: "no_descriptor_matches" });

/** A retailer's routes from a moment on; null: it was deleted. */
export type RetailerRevision = Revision<Omit<RetailerRoutes, "id">>;

/**
 * To be called once after each change of the retailers. Their order does not matter. Who has had a merchant id, and from when
 * on, is kept for each of them: a purchase is routed by what was in force when it was authorized.
 */
export function indexRoutes(revisions: Iterable<RetailerRevision>): RouteIndex {
  const all = [...revisions];
  const retailers = new Revisions(all);
  // Of each merchant id, who ever had it.
  const everOf = new Map<string, Set<string>>();
  for (const { id, value } of all) {
    for (const merchantId of new Set((value?.merchantIds ?? []).map(normaliseMerchantText))) {
      const known = everOf.get(merchantId);
      if (known === undefined) everOf.set(merchantId, new Set([id]));
      else known.add(id);
    }
  }
  const timesOf = new Map<string, number[]>();
  for (const { id, since } of all) timesOf.set(id, [...(timesOf.get(id) ?? []), since]);
  const index = new Map<string, Ownership[]>();
  for (const [merchantId, ids] of everOf) {
    const times = new Set([...ids].flatMap((id) => timesOf.get(id) ?? []));
    const ownerships = [Number.NEGATIVE_INFINITY, ...[...times].sort((a, b) => a - b)].map((since) => ({
      since,
      owner: ownerOf(sharersOf(merchantId, ids, retailers, since, timesOf)),
    }));
    index.set(merchantId, ownerships);
  }
  return index;
}

/**
 * Who has a merchant id at a moment. Where nobody has, those who have it by their first revision, which came later: before the
 * first revision the first is in force. It takes no purchase from who had the merchant id then.
 */
function sharersOf(
  merchantId: string,
  ids: ReadonlySet<string>,
  retailers: Revisions<Omit<RetailerRoutes, "id">>,
  at: number,
  timesOf: ReadonlyMap<string, readonly number[]>,
): RetailerRoutes[] {
  const all = [...ids].flatMap((id): RetailerRoutes[] => {
    const routes = retailers.inForce(id, at);
    const has = routes?.merchantIds.some((one) => normaliseMerchantText(one) === merchantId) === true;
    return has ? [{ id, ...routes }] : [];
  });
  const present = all.filter(({ id }) => timesOf.get(id)?.some((since) => since <= at));
  return present.length > 0 ? present : all;
}

function ownerOf(sharers: readonly RetailerRoutes[]): Route | SharedMerchant {
  const [first] = sharers;
  if (first === undefined) return UNKNOWN_MERCHANT;
  return sharers.length === 1 ? routeTo([first.id], false) : shareByPrefix(sharers);
}

/**
 * Finds a record's retailer by merchant id, and where several retailers share it, by the longest of their
 * prefixes that the descriptor begins with. A retailer without prefixes gets no record of a shared merchant
 * id: what nobody claims by name may be anybody's. Takes one look-up for most records, and one for each
 * length of prefix where the merchant id is shared. It makes no objects: nine of ten records end here.
 * @param authedAt of the purchase, in microseconds since 1970
 */
export function routeTransaction(
  index: RouteIndex,
  merchantId: string,
  statementDescriptor: string | null,
  authedAt: number,
): Route {
  const ownerships = index.get(normaliseMerchantText(merchantId));
  if (ownerships === undefined) return UNKNOWN_MERCHANT;
  let place = ownerships.length - 1;
  while (place > 0 && (ownerships[place] as Ownership).since > authedAt) place--;
  const { owner } = ownerships[place] as Ownership;
  if ("outcome" in owner) return owner;
  if (statementDescriptor === null) return NO_DESCRIPTOR_MATCHES;
  const descriptor = normaliseMerchantText(statementDescriptor);
  for (const length of owner.lengths) {
    const route = owner.byPrefix.get(descriptor.slice(0, length));
    if (route !== undefined) return route;
  }
  return NO_DESCRIPTOR_MATCHES;
}

/** Whether a retailer has a merchant id at a moment. */
export function isRouted(index: RouteIndex, merchantId: string, at: number): boolean {
  return routeTransaction(index, merchantId, null, at).outcome !== "unknown_merchant";
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
