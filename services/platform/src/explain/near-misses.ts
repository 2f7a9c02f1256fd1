import { type Difference, NIL_UUID } from "#domain";
import { type Fragment, microsecondsSince1970, type Sql } from "#postgres";
import { joinIdentifiers, splitIdentifiers, timestampOf } from "../matching/record-rows.ts";
import { differenceOf } from "../rules/explain-purchase.ts";
import type { Half } from "../rules/pair-by-nearest-time.ts";
import type { Subject } from "./explained-subject.ts";
import type { KeptPayment } from "./kept-purchase.ts";

/** An open payment that differs from a payment of this purchase in one property. */
export interface NearMiss extends KeptPayment {
  readonly differsIn: Difference;
}

const SHOWN = 10;
/** The payments that are checked before and after the purchase: a shop may have thousands a day. */
const LOOKED_AT = 500;
/** A payment of the same amount is near if it is at most this many seconds before or after the purchase … */
const NEAR_SECONDS = 24 * 60 * 60;
/** … and any payment, if the amount is not known. */
const NEAR_WITHOUT_AMOUNT_SECONDS = 60;

/**
 * The open payments of the purchase's retailer that nearly match it, the nearest in time first. A paired payment, and one that
 * another purchase gave back, belong to that purchase, perhaps of another organisation: neither is shown.
 */
export async function findNearMisses(sql: Sql, subject: Subject): Promise<NearMiss[]> {
  const record = waitingHalf(subject);
  if (record === undefined) return [];
  const rows = await sql<PaymentRow[]>`
    select
      id, payment_id as "paymentId", amount, currency, identifiers, bin_digits as "binDigits",
      ${microsecondsSince1970(sql, "paid_at")} as "paidAt"
    from platform.payments
    where id in (${withItsKeys(sql, record)} union all ${nearInTime(sql, record, subject)})
      and is_open and (released_from is null or released_from = ${record.id}::text::uuid)`;
  return rows
    .flatMap(({ id, paymentId, amount, currency, paidAt, identifiers, binDigits }) => {
      const { retailerId } = record;
      const payment = { id, retailerId, identifiers: splitIdentifiers(identifiers), binDigits, at: paidAt };
      const differsIn = differenceOf(record, payment);
      return differsIn === undefined ? [] : { paymentId, amount, currency, paidAt, differsIn };
    })
    .sort((a, b) => Math.abs(a.paidAt - record.at) - Math.abs(b.paidAt - record.at))
    .slice(0, SHOWN);
}

interface PaymentRow extends KeptPayment {
  readonly id: string;
  readonly identifiers: Uint8Array;
  readonly binDigits: string | null;
}

/** In place of a missing transaction id: no payment was given back by it. */
const NO_ID = NIL_UUID;

/** The purchase as an open half; undefined: it has a payment, was reverted, or has no retailer. */
function waitingHalf({ kept, purchase }: Subject): Half | undefined {
  const { route, standing, state, authedAt, transactionId } = purchase;
  const isPaid = standing.kind === "paid" || standing.kind === "forgotten";
  if (route.outcome !== "routed" || isPaid || state === "reverted") return undefined;
  const { retailerId } = route;
  return {
    id: transactionId ?? NO_ID,
    retailerId,
    identifiers: kept?.record.identifiers ?? [],
    at: authedAt,
  };
}

/** Open payments with one of its identifiers, the nearest in time first. */
function withItsKeys(sql: Sql, { retailerId, identifiers, at }: Half): Fragment {
  const time = sql`${timestampOf(sql, "seeker.at")}`;
  const nearest = (direction: Fragment) => sql`
    (
      select payment_id from platform.open_payments o where o.key = seeker.key ${direction} limit ${SHOWN}
    )`;
  return sql`(
    select near.payment_id
    from (
      select key, ${at}::bigint as at
      from platform.half_keys(${retailerId}::uuid, ${joinIdentifiers(identifiers)}::text::bytea) as key
    ) as seeker
    cross join lateral (
      ${nearest(sql`and o.paid_at <= ${time} order by o.paid_at desc`)}
      union all
      ${nearest(sql`and o.paid_at > ${time} order by o.paid_at`)}
    ) as near
  )`;
}

/** Payments of the same amount, if the publisher has reported it, and of about the same time. */
function nearInTime(sql: Sql, { retailerId, at }: Half, { given }: Subject): Fragment {
  const amount = given?.amount ?? null;
  const currency = given?.currency ?? null;
  const isKnown = amount !== null && currency !== null;
  const time = sql`(timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond')`;
  const reach = sql`${isKnown ? NEAR_SECONDS : NEAR_WITHOUT_AMOUNT_SECONDS} * interval '1 second'`;
  const paid = sql`select id, is_open, amount, currency from platform.payments where retailer_id = ${retailerId}`;
  return sql`(
    select id from (
      (
        ${paid} and paid_at <= ${time} and paid_at >= ${time} - ${reach}
        order by paid_at desc limit ${LOOKED_AT}
      )
      union all
      (
        ${paid} and paid_at > ${time} and paid_at <= ${time} + ${reach}
        order by paid_at limit ${LOOKED_AT}
      )
    ) as near
    where is_open ${isKnown ? sql`and amount = ${amount} and currency = ${currency}` : sql``}
  )`;
}
