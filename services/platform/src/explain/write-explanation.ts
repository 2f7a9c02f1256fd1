import type { PlatformAnswerOf } from "#contract/platform";
import { type Difference, encodeId, type NotEarned } from "#domain";
import type { ExplainedVerdict } from "../rules/explain-purchase.ts";
import type { Route } from "../rules/route-transaction.ts";
import { retailersOf, type Subject } from "./explained-subject.ts";
import type { NearMiss } from "./near-misses.ts";

type Answer = PlatformAnswerOf<"purchase/explain">;
type Names = ReadonlyMap<string, string>;

interface Explanation {
  readonly verdicts: readonly ExplainedVerdict[];
  readonly others: number;
  /** Of programs, deals and retailers, by UUID. */
  readonly names: Names;
  readonly nearMisses: readonly NearMiss[];
}

/** The answer of `purchase/explain`. */
export function writeExplanation(
  subject: Subject,
  { verdicts, others, names, nearMisses }: Explanation,
): Answer {
  const { kept } = subject;
  const payment = kept?.payment ?? null;
  return {
    kept: kept !== undefined,
    purchase: writePurchase(subject),
    routing: writeRouting(subject, names),
    ...(payment !== null && {
      payment: {
        payment_id: payment.paymentId,
        amount: payment.amount,
        currency: payment.currency,
        paid_at: toTime(payment.paidAt),
      },
    }),
    near_misses: nearMisses.map(writeNearMiss),
    verdicts: verdicts.map((one) => writeVerdict(one, kept !== undefined, names)),
    others,
  };
}

function writeNearMiss({ paymentId, amount, currency, paidAt, differsIn }: NearMiss) {
  const shown = { payment_id: paymentId, amount, currency, paid_at: toTime(paidAt) };
  return { ...shown, differs_in: differsIn, text: DIFFERENCES[differsIn] };
}

const DIFFERENCES: Readonly<Record<Difference, string>> = {
  identifiers:
    "None of its identifiers is one of the purchase's: its authorization code, network, card or merchant " +
    "id is another.",
  card: "Its card has the same first six digits, and another seventh or eighth.",
  paid_at: "It was paid more than 30 days before or after the purchase.",
};

/** A time of the API, from microseconds since 1970. */
const toTime = (microseconds: number) => new Date(Math.floor(microseconds / 1000)).toISOString();

/** Does not show the request's record of a kept purchase: the platform decided without it. */
function writePurchase({ kept, given, purchase }: Subject): Answer["purchase"] {
  const { transactionId, state, merchantId, statementDescriptor, authedAt } = purchase;
  const { amount, currency } = (kept === undefined ? given : undefined) ?? { amount: null, currency: null };
  return {
    ...(transactionId !== null && { transaction_id: encodeId("tx", transactionId) }),
    state,
    merchant_id: merchantId,
    ...(statementDescriptor !== null && { statement_descriptor: statementDescriptor }),
    ...(amount !== null && { amount }),
    ...(currency !== null && { currency }),
    authed_at: toTime(authedAt),
  };
}

function writeRouting({ kept, route, isKnownToday }: Subject, names: Names): Answer["routing"] {
  const keptFor = kept?.record.route.retailerId;
  const isElsewhere = keptFor !== undefined && !(route.outcome === "routed" && route.retailerId === keptFor);
  return {
    outcome: route.outcome,
    text: describeRoute(route, isKnownToday, names),
    retailers: retailersOf(route).map((id) => writeRetailer(id, names)),
    ...(route.outcome === "routed" && { shared: route.shared }),
    ...(isElsewhere && { kept_for: writeRetailer(keptFor, names) }),
  };
}

function writeRetailer(id: string, names: Names) {
  const name = names.get(id);
  return { id: encodeId("ret", id), ...(name !== undefined && { name }) };
}

function describeRoute(route: Route, isKnownToday: boolean, names: Names): string {
  switch (route.outcome) {
    case "routed": {
      const name = names.get(route.retailerId) ?? encodeId("ret", route.retailerId);
      return route.shared
        ? `It belongs to ${name}: several retailers have its merchant id, and its descriptor decided.`
        : `It belongs to ${name}, the only retailer with its merchant id.`;
    }
    case "ambiguous":
      return "Several retailers have its merchant id and the same beginning of its descriptor.";
    case "unknown_merchant":
      return isKnownToday
        ? "No retailer had its merchant id when it was authorized. One has it today."
        : "No retailer has its merchant id.";
    case "no_descriptor_matches":
      return "Several retailers have its merchant id, and none a beginning of its descriptor.";
  }
}

function writeVerdict(
  { link, verdict, outcomeId }: ExplainedVerdict,
  isKept: boolean,
  names: Names,
): Answer["verdicts"][number] {
  const name = names.get(link.targetId);
  const shown = {
    ...(name !== undefined && { name }),
    verdict: verdict.kind,
    ...(verdict.kind === "not_earned" && { reason: verdict.reason }),
    ...(verdict.kind === "waiting" && { waits_for: "payment" as const, until: toTime(verdict.until) }),
    text: describe({ link, verdict, outcomeId }, isKept),
    ...(outcomeId !== null && { outcome_id: encodeId("out", outcomeId) }),
    ...(verdict.kind === "earned" && verdict.money),
  };
  if (link.type === "clip") {
    return {
      type: "clip",
      ...(link.id !== null && { clip_id: encodeId("clip", link.id) }),
      deal_id: encodeId("deal", link.targetId),
      ...shown,
    };
  }
  return {
    type: "enrolment",
    ...(link.id !== null && { stamp_collection_id: encodeId("sc", link.id) }),
    loyalty_program_id: encodeId("lp", link.targetId),
    ...shown,
  };
}

function describe({ link, verdict, outcomeId }: ExplainedVerdict, isKept: boolean): string {
  const what = link.type === "clip" ? "deal" : "program";
  const notKept = isKept ? "" : " But it is not kept here, so nothing comes of it unless it is sent again.";
  switch (verdict.kind) {
    case "earned":
      if (outcomeId !== null) return `It counts for the ${what}, and the publisher was told.`;
      return `By the rules of then it counts for the ${what}.${notKept}`;
    case "waiting":
      return `It waits until ${toTime(verdict.until)} for the retailer's payment.${notKept}`;
    case "not_earned": {
      const reason = `It does not count: ${REASONS[verdict.reason]}.`;
      return outcomeId === null ? reason : `${reason} But the publisher was told that it did.`;
    }
  }
}

/** Completes "It does not count: …". */
const REASONS: Readonly<Record<NotEarned, string>> = {
  reverted: "it was reverted",
  unknown_merchant: "no retailer has its merchant id",
  no_descriptor_matches: "several retailers have its merchant id, and none a beginning of its descriptor",
  ambiguous: "it may belong to several retailers",
  removed: "the program or deal was removed then, or there was none",
  other_merchant: "the rules name other merchant ids",
  other_descriptor: "its descriptor does not begin as the rules say",
  amount_unknown: "the rules require an amount, which neither side reported",
  amount_too_low: "the payment is of less than the rules ask for",
  other_currency: "the payment is in another currency than the rules ask for",
  paid_too_early: "it was paid before the rules begin",
  paid_too_late: "it was paid after the rules end",
  not_started: "the deal had not started",
  ended: "the deal had ended",
  no_payment: "no payment of the retailer with an equal identifier came in 30 days",
  payment_not_kept: "the payment that it was paired with is not kept any more",
  no_reward: "its cashback would be 0",
  already_earned: "another card of the same program, or another clip of the same deal, has it",
};
