/**
 * First part of the model: the events (contract, section 6), and which purchase routes to which retailer and
 * is paid by which payment (sections 7 and 8).
 */
import { createHash } from "node:crypto";
import type { Fact, PaymentFact, Retailer, TransactionEvent } from "./facts.ts";

export interface Money {
  readonly amount: number | undefined;
  readonly currency: string | undefined;
}

export interface Purchase {
  readonly ref: string;
  /**
   * Its member when it was first answered. A deletion does not change the earnings of the purchase (section
   * 9).
   */
  readonly member: string;
  readonly merchantId: string;
  readonly authedAt: number;
  /** The identifier over six digits; over eight, once a `bin` was that long. */
  readonly six: string;
  eight: string | undefined;
  descriptor: string | undefined;
  /**
   * Every statement descriptor that it had, in order, and the fact that gave it; undefined: the first fact
   * gave none.
   */
  readonly descriptors: { readonly text: string | undefined; readonly since: number }[];
  state: "authorized" | "cleared" | "reverted";
  /** The number of the fact that made it, and of the one that settled it. */
  readonly since: number;
  settledBy: number | undefined;
  /** Its amounts and currencies, the newest last. */
  readonly worth: Money[];
}

/** The outcome of an event: the counter of `transaction/ingest`, or its `reason`. */
export type EventFate =
  | "created"
  | "updated"
  | "unchanged"
  | "not_found"
  | "invalid_transition"
  | "identity_mismatch";

/** Section 7: trimmed, without regard to case. */
export const normal = (text: string): string => text.trim().toUpperCase();

/** Section 7. */
export function identifier(event: TransactionEvent, digits: 6 | 8): string | undefined {
  const { auth_code, network, bin, merchant_id } = event;
  if (bin.length < digits) return undefined;
  const parts = ["stampede:txid:v1", normal(auth_code), network, bin.slice(0, digits), normal(merchant_id)];
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Section 6: one purchase for each `external_id`, and the outcome of each event, by the number of its fact. */
export function purchasesOf(facts: readonly Fact[]): {
  purchases: Map<string, Purchase>;
  fates: Map<number, EventFate>;
} {
  const members = new Map<string, string>();
  const purchases = new Map<string, Purchase>();
  const fates = new Map<number, EventFate>();
  facts.forEach((fact, number) => {
    if (fact.kind === "member") members.set(fact.id, fact.memberbase);
    if (fact.kind === "member-deletion") members.delete(fact.id);
    if (fact.kind === "memberbase-deletion") {
      for (const [member, memberbase] of members) if (memberbase === fact.id) members.delete(member);
    }
    if (fact.kind !== "event") return;
    const known = purchases.get(fact.event.external_id);
    if (known !== undefined) fates.set(number, change(known, fact.event, number, members.has(known.member)));
    else if (!members.has(fact.event.member_id)) fates.set(number, "not_found");
    else {
      purchases.set(fact.event.external_id, newPurchase(fact.event, number));
      fates.set(number, "created");
    }
  });
  return { purchases, fates };
}

function newPurchase(event: TransactionEvent, number: number): Purchase {
  const state = stateOf(event);
  return {
    ref: event.external_id,
    member: event.member_id,
    merchantId: normal(event.merchant_id),
    authedAt: Date.parse(event.authed_at),
    six: identifier(event, 6) as string,
    eight: identifier(event, 8),
    descriptor: event.statement_descriptor,
    descriptors: [{ text: event.statement_descriptor, since: number }],
    state,
    since: number,
    settledBy: state === "authorized" ? undefined : number,
    worth: [{ amount: event.amount, currency: event.currency }],
  };
}

const stateOf = ({ cleared_at, reverted_at }: TransactionEvent): Purchase["state"] =>
  cleared_at !== undefined ? "cleared" : reverted_at !== undefined ? "reverted" : "authorized";

/** The table of section 6, and what a known event may change. */
function change(known: Purchase, event: TransactionEvent, number: number, hasMember: boolean): EventFate {
  // If the member was deleted, only the card decides identity.
  const isSame = known.six === identifier(event, 6) && (!hasMember || known.member === event.member_id);
  if (!isSame) return "identity_mismatch";
  const next = stateOf(event);
  if (known.state !== "authorized" && next !== "authorized" && next !== known.state)
    return "invalid_transition";
  const before = JSON.stringify(known);
  const settles = known.state === "authorized" && next !== "authorized";
  // Only the event that settles changes a present value. OPEN 1: if that event lacks a value, the old one
  // stays.
  const taken = <T>(old: T | undefined, said: T | undefined) => (settles ? (said ?? old) : (old ?? said));
  const old = known.worth.at(-1) as Money;
  const worth = { amount: taken(old.amount, event.amount), currency: taken(old.currency, event.currency) };
  if (worth.amount !== old.amount || worth.currency !== old.currency) known.worth.push(worth);
  const descriptor = taken(known.descriptor, event.statement_descriptor);
  if (descriptor !== known.descriptor) known.descriptors.push({ text: descriptor, since: number });
  known.descriptor = descriptor;
  known.eight ??= identifier(event, 8);
  if (settles) {
    known.state = next;
    known.settledBy = number;
  }
  return before === JSON.stringify(known) ? "unchanged" : "updated";
}

/** One revision of a record; null: its deletion. */
export interface Revision<R> {
  readonly at: number;
  /** The number of its fact. */
  readonly number: number;
  readonly record: R | null;
}

/**
 * Section 8: the revision in force at a time; before the first revision, the first. A deletion is a revision.
 * OPEN 2: a revision is in force from its own `updated_at` on, that moment included.
 */
export function inForce<R>(revisions: readonly Revision<R>[], at: number): R | null {
  return (revisions.findLast((revision) => revision.at <= at) ?? revisions[0])?.record ?? null;
}

/** All revisions of a kind, by id. */
export function revisionsOf<K extends "program" | "deal" | "retailer">(facts: readonly Fact[], kind: K) {
  type R = Exclude<Extract<Fact, { kind: K }>["record"], null>;
  const all = new Map<string, Revision<R>[]>();
  for (const [number, fact] of facts.entries()) {
    if (fact.kind !== kind) continue;
    all.set(fact.id, [
      ...(all.get(fact.id) ?? []),
      { at: Date.parse(fact.at), number, record: fact.record as R | null },
    ]);
  }
  return all;
}

/**
 * The retailer of a purchase, the descriptor that led to it, whether several retailers share its merchant id,
 * and the fact since when.
 */
export interface Route {
  readonly retailer: string;
  readonly shared: boolean;
  readonly descriptor: string | undefined;
  readonly since: number;
}

/**
 * Section 8: the retailer who had the merchant id when the purchase was authorized; if there are several, the
 * one with the longest prefix of its descriptor (API reference). If no prefix fits, it has no retailer, and
 * earns nothing (OPEN 4). OPEN 3: before any retailer had the merchant id, it belongs to the first that got
 * it; between two retailers, to none. OPEN 19: the first of its descriptors that gives it a retailer stands,
 * whatever the clearing says.
 */
export function routeOf(
  purchase: Purchase,
  retailers: ReadonlyMap<string, readonly Revision<Retailer>[]>,
): Route | undefined {
  const has = ({ record }: Revision<Retailer>) =>
    record?.merchant_ids.some((merchant) => normal(merchant) === purchase.merchantId) === true;
  const first = [...retailers.values()]
    .flatMap((revisions) => revisions.filter(has))
    .sort((a, b) => a.at - b.at)[0];
  if (first === undefined) return undefined;
  const at = Math.max(first.at, purchase.authedAt);
  const holders = [...retailers].flatMap(([id, revisions]) => {
    const revision = revisions.findLast((one) => one.at <= at);
    const isHolder = revision !== undefined && has(revision);
    return isHolder ? [{ id, prefixes: revision.record?.statement_descriptors ?? [] }] : [];
  });
  const shared = holders.length > 1;
  for (const { text, since } of purchase.descriptors) {
    const [found] = shared ? byPrefix(text, holders) : holders;
    if (found === undefined) continue;
    return { retailer: found.id, shared, descriptor: text, since: Math.max(since, first.number) };
  }
  return undefined;
}

function byPrefix(
  descriptor: string | undefined,
  holders: readonly { id: string; prefixes: readonly string[] }[],
) {
  const fitting = holders.flatMap(({ id, prefixes }) =>
    prefixes
      .filter((prefix) => hasPrefix(descriptor, prefix))
      .map((prefix) => ({ id, length: normal(prefix).length })),
  );
  return fitting.sort((a, b) => b.length - a.length);
}

export const hasPrefix = (text: string | undefined, prefix: string): boolean =>
  text !== undefined && normal(text).startsWith(normal(prefix));

/**
 * Section 7: one equal identifier is enough; if both sides have both lengths, both must be equal. If a
 * payment does not give the lengths of its identifiers, it has the six and the eight of one card, or one of
 * them.
 */
export function fits(
  { six, eight }: Purchase,
  { identifiers, bin_digits: digits }: PaymentFact["payment"],
): boolean {
  const sixes = identifiers.filter((_, i) => (digits?.[i] ?? 6) === 6);
  const eights = identifiers.filter((_, i) => (digits?.[i] ?? 8) === 8);
  const isOfBoth = digits === undefined ? identifiers.length > 1 : sixes.length > 0 && eights.length > 0;
  if (eight !== undefined && isOfBoth) return sixes.includes(six) && eights.includes(eight);
  return sixes.includes(six) || (eight !== undefined && eights.includes(eight));
}

/** A payment of a purchase, and the number of the fact that completed the pair. */
export interface Paid {
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: number;
  readonly since: number;
}

/**
 * Section 8: one payment, one purchase; a reverted purchase gives its payment back. The contract does not say
 * which of several standing purchases gets a payment: histories have at most one (OPEN 5), and any number of
 * reverted ones.
 */
export function paymentOf(
  purchase: Purchase,
  route: Route | undefined,
  payments: readonly { readonly number: number; readonly fact: PaymentFact }[],
  purchases: Iterable<Purchase>,
): Paid | undefined {
  const found = payments.find(
    ({ fact }) => fact.retailer === route?.retailer && fits(purchase, fact.payment),
  );
  if (found === undefined) return undefined;
  const givenBack = [...purchases].filter(
    (other) => other !== purchase && other.state === "reverted" && fits(other, found.fact.payment),
  );
  const since = Math.max(
    found.number,
    purchase.since,
    ...(purchase.state === "reverted" ? [] : givenBack.map(({ settledBy }) => settledBy as number)),
  );
  const { amount, currency, paid_at } = found.fact.payment;
  return { amount, currency, paidAt: Date.parse(paid_at), since };
}
