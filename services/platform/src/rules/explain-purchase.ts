import type { Difference, Disqualification, NotEarned, TransactionState } from "#domain";
import { type Half, PAIRING_WINDOW_MICROSECONDS, pairByNearestTime } from "./pair-by-nearest-time.ts";
import type { Revisions } from "./revisions.ts";
import type { Route } from "./route-transaction.ts";
import {
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

/** The programs and deals by which links are judged. */
export interface PreparedPrograms {
  readonly programs: Revisions<PreparedProgram>;
  readonly deals: Revisions<PreparedDeal>;
}

/**
 * The state of a retailer's payment for a purchase. Times are microseconds since 1970.
 *
 * - paid: the purchase is paired with it.
 * - awaited: the purchase is not paired; a payment may come until `until`.
 * - assumed: the same, and the publisher's data says what the payment would be.
 * - over: no payment came in time.
 * - forgotten: the purchase was paired with a payment that is not kept any more.
 */
export type PaymentStanding =
  | { readonly kind: "paid"; readonly payment: RetailerPayment }
  | { readonly kind: "awaited"; readonly until: number }
  | { readonly kind: "assumed"; readonly payment: RetailerPayment; readonly until: number | null }
  | { readonly kind: "over" | "forgotten" };

/** The purchase that is explained, with its retailer. */
export interface ExplainedPurchase extends Omit<RoutedRecord, "shared"> {
  /** UUID; null: the request named none, and no outcome was emitted for it. */
  readonly transactionId: string | null;
  readonly state: TransactionState;
  readonly route: Route;
  readonly standing: PaymentStanding;
  /** Ids of the emitted outcomes, and of their clips. */
  readonly emitted: ReadonlySet<string>;
}

/** A link of the purchase; `id`, of the stamp collection or clip, is null if a program or deal is judged without a link. */
export interface ExplainedLink {
  readonly type: "enrolment" | "clip";
  readonly id: string | null;
  /** The program or the deal. */
  readonly targetId: string;
}

type Verdict =
  | {
      readonly kind: "earned";
      /** For a deal the cashback, for a program the confirmed payment. */
      readonly money: Money | null;
    }
  | { readonly kind: "waiting"; readonly until: number }
  | { readonly kind: "not_earned"; readonly reason: NotEarned };

export interface ExplainedVerdict {
  readonly link: ExplainedLink;
  readonly verdict: Verdict;
  /** The id of the emitted outcome; null: none was emitted. */
  readonly outcomeId: string | null;
}

/**
 * Gives the verdict about each link of a purchase by the rules that were in force at its authorization, with the functions that
 * decide (`routeTransaction`, `qualifies`, `judgeDeal`). An emitted outcome stays emitted, even if its payment is not kept any more.
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
      // A transaction has one outcome for a program: of two cards the first gets it.
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

/** By deal: the clip that has its outcome, or would get it. Later clips change nothing. */
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

/** By deal: the clip of a purchase that gets its outcome, which is the newest. Ids rise with the time of creation. */
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

/** @param money the earnings, if the payment that the rules ask for has come */
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
 * undefined: there are several differences, or none, and the two are about to be paired.
 * @param record without identifiers if they are not known
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
