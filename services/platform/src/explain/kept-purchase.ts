import { LIMITS } from "#contract";
import { microsecondsSince1970, type Sql } from "#postgres";
import { type RecordRow, recordColumns, toRecord } from "../matching/record-rows.ts";
import { NO_RETAILER } from "../matching/revert-records.ts";
import type { PaymentStanding } from "../rules/explain-purchase.ts";
import type { PurchaseRecord } from "../rules/merge-record.ts";

/** A purchase stored by the platform. */
export interface KeptPurchase {
  readonly record: PurchaseRecord;
  /** The retailer's half, if the purchase is paired and the payment still kept. */
  readonly payment: KeptPayment | null;
  readonly standing: PaymentStanding;
  /** Ids of the emitted outcomes, and of their clips. */
  readonly emitted: readonly string[];
}

export interface KeptPayment {
  /** The retailer's id of the payment. */
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  /** Microseconds since 1970. */
  readonly paidAt: number;
}

interface KeptRow extends RecordRow {
  readonly isOpen: boolean;
  readonly isPaired: boolean;
  /** Microseconds since 1970, by the database's clock. */
  readonly arrivedAt: number;
  readonly paymentId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: number;
}

/**
 * A purchase by the UUID of its transaction, in one look-up. `reverted`: the platform only knows that it was reverted, from a
 * record that was routed to no retailer. undefined: it was never routed to a retailer, or is not kept any more.
 */
export async function readKeptPurchase(
  sql: Sql,
  transactionId: string,
): Promise<KeptPurchase | "reverted" | undefined> {
  const [row] = await sql<KeptRow[]>`
    select ${recordColumns(sql)}, r.is_open as "isOpen", r.payment_id is not null as "isPaired",
           ${microsecondsSince1970(sql, "r.arrived_at")} as "arrivedAt", p.payment_id as "paymentId", p.amount, p.currency,
           ${microsecondsSince1970(sql, "p.paid_at")} as "paidAt"
    from platform.records r left join platform.payments p on p.id = r.payment_id
    where r.transaction_id = ${transactionId}`;
  if (row === undefined) return undefined;
  if (row.retailerId === NO_RETAILER) return "reverted";
  const { paymentId, amount, currency, paidAt } = row;
  const payment = paymentId === null ? null : { paymentId, amount, currency, paidAt };
  return { record: toRecord(row), payment, standing: standingOf(row, payment), emitted: row.outcomes ?? [] };
}

function standingOf({ isOpen, isPaired, arrivedAt }: KeptRow, payment: KeptPayment | null): PaymentStanding {
  if (payment !== null) return { kind: "paid", payment };
  if (isOpen) return { kind: "awaited", until: arrivedAt + LIMITS.matchWindowMs * 1000 };
  return { kind: isPaired ? "forgotten" : "over" };
}

/** The names of programs, deals and retailers by UUID, without missing ones. */
export async function readNames(
  sql: Sql,
  of: {
    readonly programs: readonly string[];
    readonly deals: readonly string[];
    readonly retailers: readonly string[];
  },
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from platform.loyalty_programs where id = any(${of.programs}::uuid[])
    union all
    select id, name from platform.deals where id = any(${of.deals}::uuid[])
    union all
    select id, name from platform.retailers where id = any(${of.retailers}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
