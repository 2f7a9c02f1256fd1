import { LIMITS } from "#contract";
import type { PlatformRequestOf } from "#contract/platform";
import { decodeId, microsecondsOf, stateOf, type TransactionState, toUtcMicroseconds } from "#domain";
import { badRequest } from "#http";
import type { ExplainedLink, ExplainedPurchase, PaymentStanding } from "../rules/explain-purchase.ts";
import { isRouted, type Route, type RouteIndex, routeTransaction } from "../rules/route-transaction.ts";
import type { KeptPurchase } from "./kept-purchase.ts";

type Request = PlatformRequestOf<"purchase/explain">;

/** A purchase as described in the request. Times are microseconds since 1970. */
export interface GivenRecord {
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: number;
  readonly state: TransactionState;
  /** undefined: the request names none, so all programs and deals are judged. */
  readonly links: readonly ExplainedLink[] | undefined;
}

/**
 * @returns undefined if the request only names a transaction
 * @throws ApiError `bad_request` for a record without its merchant or its time
 */
export function readRecord(body: Request): GivenRecord | undefined {
  const { merchant_id, authed_at, enrolments, clips } = body;
  if (merchant_id === undefined || authed_at === undefined) {
    const { transaction_id: _, ...record } = body;
    if (body.transaction_id !== undefined && Object.keys(record).length === 0) return undefined;
    const path = merchant_id === undefined ? "/merchant_id" : "/authed_at";
    const message = "is needed for a record, and where there is no transaction_id";
    throw badRequest(`${path} ${message}`, { path, message });
  }
  return {
    merchantId: merchant_id,
    statementDescriptor: body.statement_descriptor ?? null,
    amount: body.amount ?? null,
    currency: body.currency ?? null,
    authedAt: microsecondsOf(toUtcMicroseconds(authed_at)),
    state: stateOf({ clearedAt: body.cleared_at ?? null, revertedAt: body.reverted_at ?? null }),
    links: enrolments === undefined && clips === undefined ? undefined : readLinks(body),
  };
}

/** A link with an id of another form leads to nothing stored, and is left out, as in a record of ingest. */
function readLinks({ enrolments = [], clips = [] }: Request): ExplainedLink[] {
  const read = (type: ExplainedLink["type"], id: string | undefined, targetId: string | undefined) =>
    id === undefined || targetId === undefined ? [] : [{ type, id, targetId }];
  return [
    ...enrolments.flatMap((one) =>
      read("enrolment", decodeId("sc", one.stamp_collection_id), decodeId("lp", one.loyalty_program_id)),
    ),
    ...clips.flatMap((one) => read("clip", decodeId("clip", one.clip_id), decodeId("deal", one.deal_id))),
  ];
}

/** The purchase that is explained, and where it was found. */
export interface Subject {
  readonly kept: KeptPurchase | undefined;
  readonly given: GivenRecord | undefined;
  readonly purchase: ExplainedPurchase;
  /** The route of its merchant id and descriptor when it was authorized. */
  readonly route: Route;
  /** Whether a retailer has its merchant id today. */
  readonly isKnownToday: boolean;
  /** undefined: all programs and deals are judged. */
  readonly links: readonly ExplainedLink[] | undefined;
}

/**
 * The kept purchase, or the record in the request if the platform keeps none. A kept purchase stays with the
 * retailer that it was routed to, as when its payment comes.
 */
export function subjectOf(
  kept: KeptPurchase | "reverted" | undefined,
  given: GivenRecord | undefined,
  transactionId: string | null,
  routes: RouteIndex,
  now: Date,
): Subject | undefined {
  const isKnown = (merchantId: string) => isRouted(routes, merchantId, Number.POSITIVE_INFINITY);
  if (kept !== undefined && kept !== "reverted") {
    const { record, standing, emitted } = kept;
    const { merchantId, statementDescriptor, authedAt, state } = record;
    const purchase: ExplainedPurchase = {
      transactionId: record.transactionId,
      merchantId,
      statementDescriptor,
      authedAt,
      state,
      route: { outcome: "routed", ...record.route },
      standing,
      emitted: new Set(emitted),
    };
    const route = routeTransaction(routes, merchantId, statementDescriptor, authedAt);
    return { kept, given, purchase, route, isKnownToday: isKnown(merchantId), links: linksOf(record) };
  }
  if (given === undefined) return undefined;
  const { merchantId, statementDescriptor, authedAt, state } = given;
  const route = routeTransaction(routes, merchantId, statementDescriptor, authedAt);
  const purchase: ExplainedPurchase = {
    transactionId,
    merchantId,
    statementDescriptor,
    authedAt,
    state: kept === "reverted" ? "reverted" : state,
    route,
    standing: assume(given, now),
    emitted: new Set(),
  };
  return { kept: undefined, given, purchase, route, isKnownToday: isKnown(merchantId), links: given.links };
}

/** Assumes a payment of the same amount, if the publisher knows the amount, at the same time. */
function assume({ amount, currency, authedAt }: GivenRecord, now: Date): PaymentStanding {
  const end = authedAt + LIMITS.matchWindowMs * 1000;
  const isOver = now.getTime() * 1000 >= end;
  if (amount !== null && currency !== null) {
    const payment = { amount, currency, paidAt: authedAt };
    return { kind: "assumed", payment, until: isOver ? null : end };
  }
  return isOver ? { kind: "over" } : { kind: "awaited", until: end };
}

function linksOf({ enrolments, clips }: KeptPurchase["record"]): ExplainedLink[] {
  return [
    ...[...enrolments].map(([id, targetId]) => ({ type: "enrolment" as const, id, targetId })),
    ...[...clips].map(([id, targetId]) => ({ type: "clip" as const, id, targetId })),
  ];
}

/** The retailers that a purchase belongs to, or may belong to. */
export function retailersOf(route: Route): readonly string[] {
  if (route.outcome === "routed") return [route.retailerId];
  return route.outcome === "ambiguous" ? route.retailerIds : [];
}
