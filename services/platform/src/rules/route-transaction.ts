import { addTo, groupBy } from "#domain";
import { placeAt, type Revision } from "./revisions.ts";

export const UNKNOWN_MERCHANT: Route = Object.freeze({ outcome: "unknown_merchant" });
const NO_DESCRIPTOR_MATCHES: Route = Object.freeze({ outcome: "no_descriptor_matches" });

/**
 * Finds a record's retailer by merchant id; if several retailers share it, by the longest of their prefixes that the descriptor begins
 * with. A retailer without prefixes gets no record of a shared merchant id, because the record may belong to any of them. It takes
 * one look-up for most records, and one for each length of prefix if the merchant id is shared. It makes no objects: nine of ten
 * records end here.
 *
 * Before any retailer had a merchant id, it belongs to the retailer that had it first; a later owner does not change that. So a
 * purchase of that time has one answer, or none yet (`unrouted-records.ts` keeps it).
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
  /** In the new retailer's spelling. */
  readonly merchantId: string;
  /** The retailer that already has it. */
  readonly retailerId: string;
}

/**
 * The first merchant id of a retailer that another retailer has too, unless descriptors tell the two apart: both have at least one,
 * and none in common. If one descriptor is the beginning of the other, the longer one decides (`routeTransaction`), so these are
 * told apart too. Otherwise both retailers would get nothing.
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

/**
 * A merchant id or statement descriptor in its compared form: trimmed and upper-cased, like the merchant id
 * in a transaction identifier (contract, section 7). Two spellings of one identifier must take the same
 * route; otherwise a payment and a record with equal identifiers would never meet.
 */
export function normaliseMerchantText(text: string): string {
  return text.trim().toUpperCase();
}

/** The routes of a retailer (contract, section 8). */
export interface RetailerRoutes {
  readonly id: string;
  readonly merchantIds: readonly string[];
  /**
   * Prefixes, only used if another retailer has the same merchant id. Blank ones do not count.
   */
  readonly statementDescriptors: readonly string[];
}

/**
 * The retailer of a record. `shared`: several retailers have its merchant id, and the descriptor decided. The outcomes are stable,
 * for metrics.
 */
export type Route =
  | { readonly outcome: "routed"; readonly retailerId: string; readonly shared: boolean }
  /**
   * Several retailers have the same longest prefix. None of them gets the record; in the order of their ids.
   */
  | { readonly outcome: "ambiguous"; readonly retailerIds: readonly string[] }
  | { readonly outcome: "unknown_merchant" | "no_descriptor_matches" };

/** Values since moments, in microseconds since 1970, the oldest first. */
type Timeline<T> = readonly { readonly since: number; readonly value: T | undefined }[];

/** Undefined before the first moment, too. */
function valueAt<T>(timeline: Timeline<T>, at: number): T | undefined {
  return timeline[placeAt(timeline, at)]?.value;
}

/** The owners of a merchant id over time. */
interface Owners {
  /** undefined: no retailer has it. `shared`: several have it, and their prefixes decide. */
  readonly owner: Timeline<Route | "shared">;
  /** The lengths of the prefixes of all owners ever, the longest first; none if there was only one. */
  readonly lengths: readonly number[];
  readonly byPrefix: ReadonlyMap<string, Timeline<Route>>;
}

/** Made by `indexRoutes`. The keys are normalised merchant ids (`normaliseMerchantText`): all that a retailer ever had. */
export type RouteIndex = ReadonlyMap<string, Owners>;

/** A retailer's routes from a moment on; null: it was deleted. */
export type RetailerRevision = Revision<Omit<RetailerRoutes, "id">>;

/** A time in which a retailer has a merchant id with the same prefixes. */
interface Holding {
  readonly retailerId: string;
  readonly from: number;
  readonly until: number;
  readonly prefixes: ReadonlySet<string>;
}

/**
 * Builds the index; call it once after each change of the retailers. Their order does not matter. A purchase
 * is routed by the revisions in force when it was authorized, so the index has the owners of each merchant id
 * over time. A revision takes space only for its changes; the run time grows with the merchant ids of all
 * revisions, each read once.
 */
export function indexRoutes(revisions: Iterable<RetailerRevision>): RouteIndex {
  const histories = groupBy(revisions, ({ id }) => id);
  const held = new Map<string, Holding[]>();
  for (const history of histories.values()) {
    history.sort((a, b) => a.since - b.since);
    addHoldings(held, history);
  }
  const routes = new RoutesTo();
  const numbers = new Map<Holding, number>();
  const numberOf = (holding: Holding) => {
    const number = numbers.get(holding) ?? numbers.size;
    numbers.set(holding, number);
    return number;
  };
  // Merchant ids with the same holdings share their owners, too: otherwise a retailer with a thousand merchant ids and as many
  // prefixes would take a million timelines.
  const known = new Map<string, Owners>();
  const index = new Map<string, Owners>();
  for (const [merchantId, holdings] of held) {
    const name = holdings.map(numberOf).join();
    const owners = known.get(name) ?? ownersOf(holdings, routes);
    known.set(name, owners);
    index.set(merchantId, owners);
  }
  return index;
}

/**
 * Adds a retailer's holdings, by merchant id: one for each time in which neither the id nor the prefixes change. Merchant ids with
 * the same time share it: of all retailers together there may be hundreds of thousands.
 */
function addHoldings(holdings: Map<string, Holding[]>, history: readonly RetailerRevision[]): void {
  let begun: ReadonlyMap<string, number> = new Map();
  let prefixes: ReadonlySet<string> = new Set();
  const { id: retailerId } = history[0] as RetailerRevision;
  const end = (merchantIds: Iterable<readonly [string, number]>, until: number) => {
    const since = new Map<number, Holding>();
    for (const [merchantId, from] of merchantIds) {
      if (from >= until) continue;
      const holding = since.get(from) ?? { retailerId, from, until, prefixes };
      since.set(from, holding);
      addTo(holdings, merchantId, holding);
    }
  };
  for (const revision of history) {
    const { since } = revision;
    const now = readRoutes(revision);
    const isSame = prefixes.size === now.prefixes.size && [...prefixes].every((one) => now.prefixes.has(one));
    const going = new Map<string, number>();
    for (const one of now.merchantIds) going.set(one, (isSame ? begun.get(one) : undefined) ?? since);
    end(
      [...begun].filter(([merchantId, from]) => going.get(merchantId) !== from),
      since,
    );
    begun = going;
    prefixes = now.prefixes;
  }
  end(begun, Number.POSITIVE_INFINITY);
}

function readRoutes({ value }: RetailerRevision) {
  return {
    merchantIds: new Set(value?.merchantIds.map(normaliseMerchantText)),
    prefixes: value === null ? new Set<string>() : prefixesOf(value),
  };
}

function ownersOf(holdings: readonly Holding[], routes: RoutesTo): Owners {
  const byPrefix = new Map<string, Holding[]>();
  const isShared = holdings.some(({ retailerId }) => retailerId !== holdings[0]?.retailerId);
  for (const holding of isShared ? holdings : []) {
    for (const prefix of holding.prefixes) addTo(byPrefix, prefix, holding);
  }
  const claims = [...byPrefix].map(
    ([prefix, claiming]) => [prefix, timelineOf(claiming, (ids) => routes.shared(ids))] as const,
  );
  return {
    owner: timelineOf(holdings, (ids) => (ids.size > 1 ? "shared" : routes.alone(ids))),
    lengths: [...new Set([...byPrefix.keys()].map(({ length }) => length))].sort((a, b) => b - a),
    byPrefix: new Map(claims),
  };
}

/**
 * The values of the holders over time; an unchanged value takes no entry.
 * @param read computes the value of a set of holders
 */
function timelineOf<T>(
  holdings: readonly Holding[],
  read: (retailerIds: ReadonlySet<string>) => T | undefined,
): Timeline<T> {
  const changes = holdings.flatMap(({ retailerId, from, until }) => [
    { at: from, retailerId, begins: true },
    ...(until === Number.POSITIVE_INFINITY ? [] : [{ at: until, retailerId, begins: false }]),
  ]);
  // At one moment ends come first: a holding that follows another of the same retailer continues it.
  changes.sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
  const timeline: { since: number; value: T | undefined }[] = [];
  const holders = new Set<string>();
  for (const [i, { at, retailerId, begins }] of changes.entries()) {
    if (begins) holders.add(retailerId);
    else holders.delete(retailerId);
    if (changes[i + 1]?.at === at) continue;
    const value = read(holders);
    if (value !== timeline.at(-1)?.value) timeline.push({ since: at, value });
  }
  return timeline;
}

/** Makes each route to a retailer once. */
class RoutesTo {
  readonly #alone = new Map<string, Route>();
  readonly #shared = new Map<string, Route>();

  /** @param ids of at most one retailer */
  alone(ids: ReadonlySet<string>): Route | undefined {
    return to(this.#alone, ids, false);
  }

  shared(ids: ReadonlySet<string>): Route | undefined {
    if (ids.size <= 1) return to(this.#shared, ids, true);
    return Object.freeze({ outcome: "ambiguous", retailerIds: Object.freeze([...ids].sort()) });
  }
}

function to(known: Map<string, Route>, [retailerId]: Iterable<string>, shared: boolean): Route | undefined {
  if (retailerId === undefined) return undefined;
  const route = known.get(retailerId) ?? Object.freeze({ outcome: "routed", retailerId, shared });
  known.set(retailerId, route);
  return route;
}

/** Leaves out blank ones: every descriptor begins with them. */
function prefixesOf({
  statementDescriptors,
}: Pick<RetailerRoutes, "statementDescriptors">): ReadonlySet<string> {
  return new Set(statementDescriptors.map(normaliseMerchantText).filter((prefix) => prefix !== ""));
}
