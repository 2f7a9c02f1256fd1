import type { TransactionState } from "#domain";
import { type Half, PAIRING_WINDOW_MICROSECONDS, pairByNearestTime } from "./pair-by-nearest-time.ts";
import type { Revisions } from "./revisions.ts";
import type { Route } from "./route-transaction.ts";
import {
  type Disqualification,
  judgeDeal,
  type Money,
  outcomeId,
  type PreparedDeal,
  type PreparedProgram,
  type PreparedRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
} from "./rules.ts";

/** What links of records are judged by, by UUID. */
export interface PreparedPrograms {
  readonly programs: Revisions<PreparedProgram>;
  readonly deals: Revisions<PreparedDeal>;
}

/**
 * What is known of a retailer's payment for a purchase. Times are microseconds since 1970.
 *
 * - paid: it was paired with it.
 * - awaited: none was; one that comes before `until` is.
 * - assumed: the same, and it would be this one, by what the publisher knows of the purchase.
 * - over: none came in time.
 * - forgotten: it was paired with one that is not kept any more.
 */
export type PaymentStanding =
  | { readonly kind: "paid"; readonly payment: RetailerPayment }
  | { readonly kind: "awaited"; readonly until: number }
  | { readonly kind: "assumed"; readonly payment: RetailerPayment; readonly until: number | null }
  | { readonly kind: "over" | "forgotten" };

/** The purchase that is explained, with its retailer. */
export interface ExplainedPurchase extends Omit<RoutedRecord, "shared"> {
  /** UUID; null for one that the platform has no name of. Nothing was emitted for it then. */
  readonly transactionId: string | null;
  readonly state: TransactionState;
  readonly route: Route;
  readonly standing: PaymentStanding;
  /** Ids of the outcomes that were emitted for it, and of the clips that they were for. */
  readonly emitted: ReadonlySet<string>;
}

/** A link of the purchase; the id of the stamp collection or clip is null where a program or deal is judged as such. */
export interface ExplainedLink {
  readonly type: "enrolment" | "clip";
  readonly id: string | null;
  /** The program or the deal. */
  readonly targetId: string;
}

/**
 * Why a link earned nothing. The reasons of routing and of rules have the same names there, except for `unconfirmed`:
 * that is a wait, or one of no_payment (none came in time) and payment_not_kept. removed: there is no such program or deal
 * when the purchase was authorized. already_earned: another stamp collection of the same program has it, or another clip of
 * the same deal.
 */
export type NotEarned =
  | "reverted"
  | Exclude<Route["outcome"], "routed">
  | "removed"
  | Exclude<Disqualification, "unconfirmed">
  | "no_payment"
  | "payment_not_kept"
  | "already_earned";

export type Verdict =
  | {
      readonly kind: "earned";
      /** Of a purchase that a payment confirmed, what was paid; of a deal, the cashback. */
      readonly money: Money | null;
    }
  | { readonly kind: "waiting"; readonly until: number }
  | { readonly kind: "not_earned"; readonly reason: NotEarned };

export interface ExplainedVerdict {
  readonly link: ExplainedLink;
  readonly verdict: Verdict;
  /** Of the outcome that was emitted for it. */
  readonly outcomeId: string | null;
}

/**
 * Says of each link of a purchase what comes of it by the rules that were in force then, by the functions that decide
 * (`routeTransaction`, `qualifies`, `judgeDeal`). What was emitted stays emitted, so a payment that is not kept any more
 * is no reason why it was not.
 */
export function explainPurchase(
  purchase: ExplainedPurchase,
  links: readonly ExplainedLink[],
  prepared: PreparedPrograms,
): ExplainedVerdict[] {
  const earnedPrograms = new Set<string>();
  const redeeming = redeemingClips(purchase, links);
  return links.map((link) => {
    if (link.type === "clip" && link.id !== null && redeeming.get(link.targetId) !== link.id) {
      return { link, verdict: { kind: "not_earned", reason: "already_earned" }, outcomeId: null };
    }
    const emittedId = emittedOutcome(purchase, link);
    const verdict = explainLink(purchase, link, prepared);
    if (verdict.kind === "not_earned") {
      const isGone = verdict.reason === "no_payment" || verdict.reason === "payment_not_kept";
      return isGone && emittedId !== null
        ? { link, verdict: { kind: "earned", money: null }, outcomeId: emittedId }
        : { link, verdict, outcomeId: emittedId };
    }
    if (link.type === "enrolment" && verdict.kind === "earned") {
      // One outcome of a transaction and a program: the first of two cards gets it.
      if (earnedPrograms.has(link.targetId)) {
        return { link, verdict: { kind: "not_earned", reason: "already_earned" }, outcomeId: null };
      }
      earnedPrograms.add(link.targetId);
    }
    return { link, verdict, outcomeId: emittedId };
  });
}

function emittedOutcome({ transactionId, emitted }: ExplainedPurchase, link: ExplainedLink): string | null {
  if (transactionId === null || link.id === null) return null;
  const { targetId } = link;
  const names =
    link.type === "enrolment"
      ? [outcomeId(transactionId, { type: "program", programId: targetId })]
      : [
          outcomeId(transactionId, { type: "deal", dealId: targetId }),
          outcomeId(transactionId, { type: "clip", clipId: link.id }),
        ];
  return names.find((id) => emitted.has(id)) ?? null;
}

/** By deal: the clip that has its outcome, and before there is one that which gets it. Clips that come later change nothing. */
function redeemingClips(
  { transactionId, emitted }: ExplainedPurchase,
  links: readonly ExplainedLink[],
): ReadonlyMap<string, string> {
  const redeeming = new Map(newestClips(links));
  for (const { type, id, targetId } of links) {
    if (type !== "clip" || id === null || transactionId === null) continue;
    const hasIt = emitted.has(id) || emitted.has(outcomeId(transactionId, { type: "clip", clipId: id }));
    if (hasIt) redeeming.set(targetId, id);
  }
  return redeeming;
}

/** By deal: which of a purchase's clips gets its outcome. Ids go up with the time of creation. */
export function newestClips(links: Iterable<ExplainedLink>): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { type, id, targetId } of links) {
    if (type === "clip" && id !== null && id > (newest.get(targetId) ?? "")) newest.set(targetId, id);
  }
  return newest;
}

function explainLink(
  { state, route, standing, merchantId, statementDescriptor, authedAt }: ExplainedPurchase,
  { type, targetId }: ExplainedLink,
  { programs, deals }: PreparedPrograms,
): Verdict {
  if (state === "reverted") return { kind: "not_earned", reason: "reverted" };
  if (route.outcome !== "routed") return { kind: "not_earned", reason: route.outcome };
  const record: RoutedRecord = { merchantId, statementDescriptor, shared: route.shared, authedAt };
  const payment = standing.kind === "paid" || standing.kind === "assumed" ? standing.payment : null;
  if (type === "clip") {
    const deal = deals.inForce(targetId, authedAt);
    if (deal === undefined) return { kind: "not_earned", reason: "removed" };
    const judged = judgeDeal(deal, record, payment);
    return judged.qualifies
      ? counted(deal.rules, standing, judged.reward)
      : notCounted(judged.reason, standing);
  }
  const program = programs.inForce(targetId, authedAt);
  if (program === undefined) return { kind: "not_earned", reason: "removed" };
  const prepared = program.rules;
  const judged = qualifies(prepared, record, payment);
  if (!judged.qualifies) return notCounted(judged.reason, standing);
  const isConfirmed = prepared.rules.confirmation === "retailer" && payment !== null;
  return counted(prepared, standing, isConfirmed ? moneyOf(payment) : null);
}

/** Without the time of a payment. */
const moneyOf = ({ amount, currency }: Money): Money => ({ amount, currency });

/** @param money what it earns, if the payment is there that the rules ask for */
function counted({ rules }: PreparedRules, standing: PaymentStanding, money: Money | null): Verdict {
  if (rules.confirmation === "none" || standing.kind !== "assumed") return { kind: "earned", money };
  return standing.until === null
    ? { kind: "not_earned", reason: "no_payment" }
    : { kind: "waiting", until: standing.until };
}

function notCounted(reason: Disqualification, standing: PaymentStanding): Verdict {
  if (reason !== "unconfirmed") return { kind: "not_earned", reason };
  if (standing.kind === "awaited") return { kind: "waiting", until: standing.until };
  return { kind: "not_earned", reason: standing.kind === "forgotten" ? "payment_not_kept" : "no_payment" };
}

/**
 * In what alone a retailer's open payment differs from one of a purchase.
 *
 * - identifiers: it has none of the purchase's: another authorization code, network, card or merchant id.
 * - card: the six digits are the same, and the eight are not.
 * - paid_at: it was paid too long before or after.
 */
export type Difference = "identifiers" | "card" | "paid_at";

/**
 * undefined: it differs in more than one thing, or in nothing, so that it is about to be paired.
 * @param record without identifiers where they are not known
 */
export function differenceOf(record: Half, payment: Half): Difference | undefined {
  const isNear = Math.abs(payment.at - record.at) <= PAIRING_WINDOW_MICROSECONDS;
  if (!payment.identifiers.some((one) => record.identifiers.includes(one))) {
    return isNear ? "identifiers" : undefined;
  }
  const matches = pairByNearestTime([{ ...payment, at: record.at }], [record]).length > 0;
  if (matches) return isNear ? undefined : "paid_at";
  return isNear ? "card" : undefined;
}
