import { STATES, type TransactionState } from "../lifecycle.ts";
import { compareTexts } from "./compare-texts.ts";

/** Where a record was routed to. */
export interface RecordRoute {
  readonly retailerId: string;
  /** Several retailers have its merchant id, and the descriptor decided. */
  readonly shared: boolean;
}

/** What the platform knows of a transaction: one record of the publisher, or what several of them come to. */
export interface PurchaseRecord {
  readonly transactionId: string;
  readonly route: RecordRoute;
  readonly state: TransactionState;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  /** Microseconds since 1970. The publisher never changes it. */
  readonly authedAt: number;
  /** SHA-256 in lower-case hex, in their order. */
  readonly identifiers: readonly string[];
  /** The deal of each open clip that the member had at the time of any of the records. */
  readonly clips: ReadonlyMap<string, string>;
  /** The program of each stamp collection, likewise. */
  readonly enrolments: ReadonlyMap<string, string>;
}

/**
 * Merges two records of one transaction. Records may come in any order and any number of times, so what a
 * record says tells how new it is: a clearing or reversal is newer than an authorization, and a record with a
 * descriptor is newer than one without, because the publisher fills in an absent descriptor and never takes
 * one away. Identifiers and links only add up: a link that is missing in a later record was there when the
 * purchase was made.
 * @param keepsRoute the stored record has its payment: a newer descriptor does not move it to another
 * retailer
 * @returns `stored` itself if the other record says nothing new
 */
export function mergeRecord(
  stored: PurchaseRecord,
  incoming: PurchaseRecord,
  keepsRoute: boolean,
): PurchaseRecord {
  const newer = compareNews(incoming, stored) > 0;
  const identifiers = addAll(stored.identifiers, incoming.identifiers);
  const clips = addLinks(stored.clips, incoming.clips);
  const enrolments = addLinks(stored.enrolments, incoming.enrolments);
  const same =
    identifiers === stored.identifiers && clips === stored.clips && enrolments === stored.enrolments;
  if (!newer && same) return stored;
  const news = newer ? incoming : stored;
  return {
    transactionId: stored.transactionId,
    route: keepsRoute ? stored.route : news.route,
    state: news.state,
    merchantId: news.merchantId,
    statementDescriptor: news.statementDescriptor,
    authedAt: stored.authedAt,
    identifiers,
    clips,
    enrolments,
  };
}

/**
 * Above 0: `a` is the newer one. 0 only where they say the same, so the order in which they come does not
 * matter.
 */
function compareNews(a: PurchaseRecord, b: PurchaseRecord): number {
  return (
    STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
    Number(a.statementDescriptor !== null) - Number(b.statementDescriptor !== null) ||
    compareTexts(a.statementDescriptor ?? "", b.statementDescriptor ?? "") ||
    compareTexts(a.merchantId, b.merchantId)
  );
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
