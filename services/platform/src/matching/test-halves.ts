import { hash, randomUUID } from "node:crypto";
import { microsecondsOf } from "#domain";
import type { Sql, Store } from "#postgres";
import { waitForLocks } from "#test-support";
import type { PurchaseRecord } from "../rules/merge-record.ts";
import { outcomeId } from "../rules/rules.ts";
import type { EarnedOutcome, Judge } from "./judge.ts";
import { type Pairing, pairHalves } from "./pair-halves.ts";
import { type NewPayment, storePayments } from "./store-payments.ts";
import { storeRecords } from "./store-records.ts";

export const RETAILER = "00000000-0000-7000-8000-000000000001";
export const OTHER_RETAILER = "00000000-0000-7000-8000-000000000002";

export const NOON = microsecondsOf("2026-03-01T12:00:00.000001Z");
export const DAY = 24 * 60 * 60 * 1_000_000;

/** Deletes all halves and queued outcomes. */
export async function emptyHalves(sql: Sql): Promise<void> {
  await sql`
    truncate platform.records, platform.payments, platform.open_records, platform.open_payments,
      platform.outcome_queue`;
}

/** The identifier of a name. */
export const identifierOf = (name: string): string => hash("sha256", name, "hex");

/** A record of a card that no other record has, with one enrolment. */
export function testRecord(changes: Partial<PurchaseRecord> = {}): PurchaseRecord {
  const transactionId = changes.transactionId ?? randomUUID();
  return {
    transactionId,
    route: { retailerId: RETAILER, shared: false },
    state: "authorized",
    merchantId: "MID-1",
    statementDescriptor: null,
    isFirstDescriptor: (changes.state ?? "authorized") === "authorized",
    authedAt: NOON,
    identifiers: [identifierOf(transactionId)],
    clips: new Map(),
    enrolments: new Map([[randomUUID(), randomUUID()]]),
    ...changes,
  };
}

/** A payment with the card of this name. */
export function testPayment(card: string, changes: Partial<NewPayment> = {}): NewPayment {
  return {
    paymentId: randomUUID(),
    identifiers: [identifierOf(card)],
    binDigits: null,
    amount: 100,
    currency: "EUR",
    paidAt: NOON,
    ...changes,
  };
}

/** Every enrolment earns with a payment, every clip with none; a reverted record earns nothing. */
export const TEST_JUDGE: Judge = {
  onArrival: (record) => ({
    outcomes: record.state === "reverted" ? [] : [...record.clips.keys()].map((id) => earned(record, id)),
    disqualified: [],
  }),
  onPayment: (record) => ({
    outcomes:
      record.state === "reverted" ? [] : [...record.enrolments.values()].map((id) => earned(record, id)),
    disqualified: ["ended"],
  }),
};

function earned({ transactionId, authedAt }: PurchaseRecord, programId: string): EarnedOutcome {
  const id = outcomeId(transactionId, { type: "program", programId });
  return {
    id,
    formerIds: [],
    clipId: null,
    authedAt,
    type: "qualifying_purchase",
    json: JSON.stringify({ id, transactionId }),
  };
}

/** Brings payments like `paymentIntake`, and returns the whole result. */
export async function bringPayments(
  store: Store,
  payments: readonly NewPayment[],
  { retailerId = RETAILER, judge = TEST_JUDGE }: { retailerId?: string; judge?: Judge } = {},
): Promise<{ created: number; pairing: Pairing }> {
  const { created, pairing, unpaired } = await storePayments(store, retailerId, payments, judge);
  return { created, pairing: sum(pairing, await pairHalves(store, "payments", unpaired, judge)) };
}

function sum(...pairings: readonly Pairing[]): Pairing {
  return {
    pairs: pairings.reduce((pairs, one) => pairs + one.pairs, 0),
    outcomes: pairings.flatMap((one) => one.outcomes),
    disqualified: pairings.flatMap((one) => one.disqualified),
    queued: pairings.flatMap((one) => one.queued),
  };
}

/**
 * Stores halves that belong together and all stay open: both sides search before either is stored, and
 * neither searches again, as after a crash.
 * @returns UUIDs of the payments
 */
export async function storeUnmet(
  store: Store,
  records: readonly PurchaseRecord[],
  payments: readonly NewPayment[],
): Promise<readonly string[]> {
  const storing = await whileLocked(store, ["records", "payments"], () => [
    storeRecords(store, records, TEST_JUDGE),
    storePayments(store, RETAILER, payments, TEST_JUDGE).then(({ unpaired }) => unpaired),
  ]);
  return storing[1];
}

/**
 * Starts `work` while the tables cannot be written, and lets it write once each part of it waits for that:
 * everything that a part read before is then as old as possible.
 */
export async function whileLocked<T extends readonly Promise<unknown>[]>(
  store: Store,
  tables: ReadonlyArray<"records" | "payments">,
  work: () => readonly [...T],
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  let parts: readonly [...T] | undefined;
  await store.begin(async (sql) => {
    const names = tables.map((table) => `platform.${table}`).join(", ");
    await sql.script(`lock table ${names} in share row exclusive mode`);
    parts = work();
    const count = parts.length;
    await waitForLocks(store, count);
    await meanwhile();
  });
  return Promise.all(parts as readonly [...T]);
}

/** The queued outcomes, oldest first. */
export async function queued(sql: Sql): Promise<{ id: string; transactionId: string }[]> {
  const rows = await sql<{ outcome: string }[]>`select outcome from platform.outcome_queue order by position`;
  return rows.map(({ outcome }) => JSON.parse(outcome));
}

/** The pairs, by transaction: the retailer's id of the payment. */
export async function pairsOf(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ transactionId: string; paymentId: string }[]>`
    select r.transaction_id as "transactionId", p.payment_id as "paymentId"
    from platform.records r join platform.payments p on p.id = r.payment_id and p.transaction_id = r.transaction_id`;
  return new Map(rows.map(({ transactionId, paymentId }) => [transactionId, paymentId]));
}

/** Checks the rules that must hold whenever nothing is under way. Returns the names of the broken ones. */
export async function faultsOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ fault: string }[]>`
    with record_keys as (
      select key, transaction_id as id, authed_at as at from platform.records
      cross join lateral platform.open_keys(retailer_id, identifiers, null) as key where is_open
    ),
    payment_keys as (
      select key, id, paid_at as at from platform.payments
      cross join lateral platform.open_keys(retailer_id, identifiers, bin_digits) as key where is_open
    )
    select 'one-sided pair of record ' || transaction_id as fault from platform.records r
    where payment_id is not null and not exists (
      select from platform.payments p where p.id = r.payment_id and p.transaction_id = r.transaction_id
    )
    union all
    select 'one-sided pair of payment ' || id from platform.payments p
    where transaction_id is not null and not exists (
      select from platform.records r where r.transaction_id = p.transaction_id and r.payment_id = p.id
    )
    union all
    (
      select 'keys of records' from (
        (select key, id, at from record_keys except all select key, transaction_id, authed_at from platform.open_records)
        union all
        (select key, transaction_id, authed_at from platform.open_records except all select key, id, at from record_keys)
      ) as difference
    )
    union all
    (
      select 'keys of payments' from (
        (select key, id, at from payment_keys except all select key, payment_id, paid_at from platform.open_payments)
        union all
        (select key, payment_id, paid_at from platform.open_payments except all select key, id, at from payment_keys)
      ) as difference
    )
    union all
    select 'pairable but open: ' || r.id || ' ' || p.id from record_keys r join payment_keys p using (key)
    join platform.records on records.transaction_id = r.id
    join platform.payments on payments.id = p.id
    where p.at between r.at - interval '720 hours' and r.at + interval '720 hours'
    group by r.id, p.id, records.identifiers, payments.identifiers, payments.bin_digits
    -- One identifier in common, or two where each side has two, a payment perhaps of one length all.
    having count(*) >= least(
      2, octet_length(records.identifiers) / 32, octet_length(payments.identifiers) / 32,
      case when payments.bin_digits ~ '^(6+|8+)$' then 1 end
    )`;
  return rows.map(({ fault }) => fault);
}
