import type { Fragment, Sql } from "#postgres";
import { joinIdentifiers, microseconds, splitIdentifiers, timestampOf } from "../halves/record-rows.ts";
import { type Difference, differenceOf } from "../rules/explain-purchase.ts";
import type { Half } from "../rules/pair-by-nearest-time.ts";
import type { Subject } from "./explained-subject.ts";
import type { KeptPayment } from "./kept-purchase.ts";

/** A payment that waits for its purchase, and differs from one of this purchase in one thing. */
export interface NearMiss extends KeptPayment {
  readonly differsIn: Difference;
}

const SHOWN = 10;
/** Payments of the retailer, paid before and after the purchase, that are looked at: a shop may have thousands a day. */
const LOOKED_AT = 500;
/** So far before and after the purchase, in seconds, a payment of the same amount comes near … */
const NEAR_SECONDS = 24 * 60 * 60;
/** … and any where the amount is not known. */
const NEAR_WITHOUT_AMOUNT_SECONDS = 60;

/**
 * The open payments of the purchase's retailer that come near to it, the nearest in time first. What was
 * given back by another purchase belongs to that purchase, perhaps of another organisation, and so does a
 * paired payment: neither is shown.
 */
export async function findNearMisses(sql: Sql, subject: Subject): Promise<NearMiss[]> {
  const record = waitingHalf(subject);
  if (record === undefined) return [];
  const rows = await sql<PaymentRow[]>`
    select
      id, payment_id as "paymentId", amount, currency, identifiers, bin_digits as "binDigits",
      ${microseconds(sql, "paid_at")} as "paidAt"
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

/** Whose a record is that has no id: of no payment. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** The purchase as a half, while a payment may be looked for: not if it has one, was reverted, or is no retailer's. */
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

/** Of open payments that have one of its identifiers, the nearest in time. */
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

/** Of the same amount, as far as the publisher has said it, and paid at about the same time. */
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
