import type { PlatformAnswerOf } from "#contract/platform";
import { decodeId, encodeId } from "#domain";
import {
  answerList,
  type CursorKey,
  found,
  jsonResponse,
  notFound,
  readTimeSpan,
  type TimeSpan,
} from "#http";
import type { Fragment, Sql, Store } from "#postgres";
import { definePlatformEndpoint, LIST_OWNER, type PlatformEndpoint } from "./endpoint.ts";
import { splitIdentifiers } from "./matching/record-rows.ts";
import { paymentUuid } from "./matching/store-payments.ts";
import { getRetailer } from "./retailers/retailer-rows.ts";
import { unknownRetailer } from "./retailers/retailers.ts";

/** Endpoints that show the payments of retailers, for support: "did the till send it?" */
export function readPaymentEndpoints(store: Store, cursors: CursorKey): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("payment/get", async ({ body }) => {
      const retailerId = found(decodeId("ret", body.retailer_id), unknownPayment);
      const payment = await readPayment(store, paymentUuid(retailerId, body.payment_id));
      return jsonResponse(200, writePayment(found(payment, unknownPayment)));
    }),

    definePlatformEndpoint("payment/list", async ({ body }) => {
      const { retailer_id, pagination } = body;
      const paid = readTimeSpan(body);
      const retailerId =
        retailer_id === undefined ? undefined : found(decodeId("ret", retailer_id), unknownRetailer);
      // A deleted retailer may still have payments.
      return answerList(
        { cursors, scope: scopeOf(retailerId, paid), owner: LIST_OWNER, pagination },
        async (page) => {
          const rows = await listPayments(store, { retailerId, paid }, page);
          if (rows.length === 0 && retailerId !== undefined) {
            found(await getRetailerOrPayment(store, retailerId), unknownRetailer);
          }
          return { records: rows.slice(0, page.limit), more: rows.length > page.limit, placeOf };
        },
        writePayment,
      );
    }),
  ];
}

const unknownPayment = () => notFound("payment");

const scopeOf = (retailerId: string | undefined, { since, until }: TimeSpan) =>
  `payment/list ${JSON.stringify([retailerId, since, until])}`;

async function getRetailerOrPayment(sql: Sql, retailerId: string): Promise<object | undefined> {
  const [payment] = await sql`select from platform.payments where retailer_id = ${retailerId} limit 1`;
  return payment ?? getRetailer(sql, retailerId);
}

interface StoredPayment {
  readonly id: string;
  readonly retailerId: string;
  readonly paymentId: string;
  readonly transactionId: string | null;
  readonly releasedFrom: string | null;
  readonly identifiers: Uint8Array;
  readonly binDigits: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: Date;
  /** The same as text, exact to the microsecond. */
  readonly paidAtExact: string;
  readonly arrivedAt: Date;
}

function paymentColumns(sql: Sql): Fragment {
  return sql`
    id, retailer_id as "retailerId", payment_id as "paymentId", transaction_id as "transactionId",
    released_from as "releasedFrom", identifiers, bin_digits as "binDigits", amount, currency, paid_at as "paidAt", paid_at::text as "paidAtExact",
    arrived_at as "arrivedAt"`;
}

/** @param id UUID */
async function readPayment(sql: Sql, id: string): Promise<StoredPayment | undefined> {
  const [payment] = await sql<StoredPayment[]>`
    select ${paymentColumns(sql)} from platform.payments where id = ${id}`;
  return payment;
}

/** The end of a page: the time and UUID of its last payment. */
const placeOf = ({ paidAtExact, id }: Pick<StoredPayment, "paidAtExact" | "id">) => `${id} ${paidAtExact}`;

const UUID_LENGTH = 36;

/** Payments by `paid_at`, the newest first, one more than `limit`. An index has this order, for one retailer and for all. */
export async function listPayments(
  sql: Sql,
  { retailerId, paid }: { readonly retailerId: string | undefined; readonly paid: TimeSpan },
  { limit, after, skip = 0 }: { limit: number; after?: string | undefined; skip?: number | undefined },
): Promise<StoredPayment[]> {
  const { since, until } = paid;
  const [id, paidAt] = [after?.slice(0, UUID_LENGTH), after?.slice(UUID_LENGTH + 1)];
  return sql<StoredPayment[]>`
    select ${paymentColumns(sql)} from platform.payments
    where true
      ${retailerId === undefined ? sql`` : sql`and retailer_id = ${retailerId}`}
      ${since === undefined ? sql`` : sql`and paid_at >= ${since}::text::timestamptz`}
      ${until === undefined ? sql`` : sql`and paid_at < ${until}::text::timestamptz`}
      ${id === undefined || paidAt === undefined ? sql`` : sql`and (paid_at, id) < (${paidAt}::text::timestamptz, ${id}::uuid)`}
    order by paid_at desc, id desc
    limit ${limit + 1} offset ${skip}`;
}

function writePayment(payment: StoredPayment): PlatformAnswerOf<"payment/get"> {
  const { transactionId, releasedFrom, binDigits } = payment;
  return {
    retailer_id: encodeId("ret", payment.retailerId),
    payment_id: payment.paymentId,
    state: transactionId === null ? "open" : "paired",
    ...(transactionId !== null && { transaction_id: encodeId("tx", transactionId) }),
    ...(releasedFrom !== null && { released_from: encodeId("tx", releasedFrom) }),
    identifiers: splitIdentifiers(payment.identifiers),
    ...(binDigits !== null && { bin_digits: [...binDigits].map(Number) }),
    amount: payment.amount,
    currency: payment.currency,
    paid_at: payment.paidAt.toISOString(),
    received_at: payment.arrivedAt.toISOString(),
  };
}
