import { STATES, type TransactionState } from "#domain";

/** The retailer to which a record was routed. */
export interface RecordRoute {
  readonly retailerId: string;
  /** Several retailers have its merchant id, and the descriptor decided. */
  readonly shared: boolean;
}

/** A transaction as the platform knows it: one record of the publisher, or several merged. */
export interface PurchaseRecord {
  readonly transactionId: string;
  readonly route: RecordRoute;
  readonly state: TransactionState;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  /** Whether the descriptor is known to be the authorization's: the clearing may have another (`mergeRecord`). */
  readonly isFirstDescriptor: boolean;
  /** Microseconds since 1970. The publisher never changes it. */
  readonly authedAt: number;
  /** SHA-256 in lower-case hex, in their order. */
  readonly identifiers: readonly string[];
  /** The deal of each open clip that the member had at the time of any of the records. */
  readonly clips: ReadonlyMap<string, string>;
  /** The program of each stamp collection that the member had at the time of any of the records. */
  readonly enrolments: ReadonlyMap<string, string>;
}

/**
 * Merges two records of one transaction. Records may come in any order and any number of times. The state
 * only moves forward. Identifiers and links add up: a link that is missing in a later record existed when the
 * purchase was made.
 *
 * The first descriptor counts, and with it the retailer: a clearing may have another descriptor, and would
 * move a purchase that was judged already. The publisher fills in an absent descriptor, and changes one only
 * with the clearing or reversal; so the descriptor of an authorized record is older than that of a settled
 * one.
 * @param keepsRoute the stored record is paired, so its retailer stays
 * @returns `stored` itself if the other record brings nothing new
 */
export function mergeRecord(
  stored: PurchaseRecord,
  incoming: PurchaseRecord,
  keepsRoute: boolean,
): PurchaseRecord {
  const settles = STATES.indexOf(incoming.state) > STATES.indexOf(stored.state);
  const described = saidFirst(stored, incoming);
  const merged: PurchaseRecord = {
    transactionId: stored.transactionId,
    route: keepsRoute ? stored.route : described.route,
    state: settles ? incoming.state : stored.state,
    merchantId: described.merchantId,
    statementDescriptor: described.statementDescriptor,
    isFirstDescriptor: described.isFirstDescriptor,
    authedAt: stored.authedAt,
    identifiers: addAll(stored.identifiers, incoming.identifiers),
    clips: addLinks(stored.clips, incoming.clips),
    enrolments: addLinks(stored.enrolments, incoming.enrolments),
  };
  const fields = Object.keys(merged) as (keyof PurchaseRecord)[];
  return fields.every((field) => merged[field] === stored[field]) ? stored : merged;
}

/** The record whose descriptor counts: the stored one, unless the other is known to be earlier. */
function saidFirst(stored: PurchaseRecord, incoming: PurchaseRecord): PurchaseRecord {
  if (incoming.statementDescriptor === stored.statementDescriptor) return stored;
  if (stored.statementDescriptor === null) return incoming;
  const isEarlier =
    incoming.statementDescriptor !== null && incoming.isFirstDescriptor && !stored.isFirstDescriptor;
  return isEarlier ? incoming : stored;
}

function addAll(stored: readonly string[], incoming: readonly string[]): readonly string[] {
  if (incoming.every((identifier) => stored.includes(identifier))) return stored;
  return [...new Set([...stored, ...incoming])].sort();
}

function addLinks(
  stored: ReadonlyMap<string, string>,
  incoming: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if ([...incoming.keys()].every((id) => stored.has(id))) return stored;
  return new Map([...incoming, ...stored]);
}
