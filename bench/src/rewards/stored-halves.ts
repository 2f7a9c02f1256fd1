import { hash } from "node:crypto";
import { linkRecord, packRecordMessage, type RecordLinks, writeRecord } from "#contract/codec";
import { createTokenSecret, hashTokenSecret, type StoredTransaction } from "#domain";
import type { Store } from "#postgres";
import { dealTable } from "../../../services/platform/src/configuration/deals.ts";
import { programTable } from "../../../services/platform/src/configuration/programs.ts";
import { createRetailer } from "../../../services/platform/src/retailers/retailer-rows.ts";
import { EPOCH_MS } from "../ingest/world.ts";
import { mix, seededUuid } from "../kit/random.ts";
import { DISPLAY_CONTENT } from "./fill-rewards.ts";
import { cutEntries, type PackedMessage } from "./stream-messages.ts";

/**
 * The platform's halves before the clock starts: everything about a half follows from this and its number.
 */
export interface StoredSpec {
  readonly seed: number;
  /** The number of halves of each kind. Numbers begin at 0. */
  readonly perSide: number;
  readonly retailers: number;
}

const PROGRAMS = 50;
const DEALS = 10;
/** One stored record in this many has an open clip in addition to its enrolment. */
const CLIP_EVERY = 10;
/**
 * One card in this many is known by six digits only, like in the ingest workload; the others have two
 * identifiers.
 */
const SHORT_EVERY = 4;
const ROWS_PER_STATEMENT = 250_000;
/** Halves came over this period, the last of them now: none of them expires during the run. */
const PERIOD_DAYS = 20;

/**
 * Records and payments with one number belong to one retailer; a record's own payment is never stored, nor
 * the other way round.
 */
const retailerOf = ({ retailers }: StoredSpec, number: number): number => number % retailers;
const merchantOf = (retailer: number): string => `SHOP-${retailer}`;
const retailerId = ({ seed }: StoredSpec, retailer: number): string =>
  seededUuid(EPOCH_MS, seed + 71, retailer);
export const retailerToken = ({ seed }: StoredSpec, retailer: number): string =>
  createTokenSecret(hash("sha256", `stampede bench retailer ${seed} ${retailer}`, "buffer"));
const programId = ({ seed }: StoredSpec, retailer: number): string =>
  seededUuid(EPOCH_MS, seed + 72, retailer % PROGRAMS);

type HalfKind = "record" | "payment" | "newcomer";

/** The identifiers of a half, equal to those of `identifiersIn` in SQL. */
export function identifiersOf(kind: HalfKind, number: number): string[] {
  const six = hash("sha256", `${kind} ${number} 6`, "hex");
  return number % SHORT_EVERY === 0 ? [six] : [six, hash("sha256", `${kind} ${number} 8`, "hex")];
}

/** The number of outcomes of a stored record once it is paid. */
export function outcomesOf(number: number): number {
  return number % CLIP_EVERY === 0 ? 2 : 1;
}

/** Retailers with their tokens, programs and deals. */
export async function configurePlatform(store: Store, spec: StoredSpec): Promise<void> {
  const { retailers, seed } = spec;
  const numbers = Array.from({ length: retailers }, (_, i) => i);
  for (const retailer of numbers) {
    await createRetailer(store, {
      id: retailerId(spec, retailer),
      name: `Retailer ${retailer}`,
      merchantIds: [merchantOf(retailer)],
      statementDescriptors: [],
      tokenHash: hashTokenSecret(retailerToken(spec, retailer)),
    });
  }
  const merchantsOf = (part: number, parts: number) =>
    numbers.filter((retailer) => retailer % parts === part).map(merchantOf);
  for (let program = 0; program < Math.min(PROGRAMS, retailers); program++) {
    await programTable.create(store, {
      id: programId(spec, program),
      name: `Program ${program}`,
      qualifyingThreshold: 8,
      rewardConfig: { type: "refund" },
      displayContent: DISPLAY_CONTENT,
      rules: { merchant_ids: merchantsOf(program, PROGRAMS), confirmation: "retailer" },
    });
  }
  for (let deal = 0; deal < Math.min(DEALS, retailers); deal++) {
    await dealTable.create(store, {
      id: seededUuid(EPOCH_MS, seed + 73, deal),
      name: `Deal ${deal}`,
      rewardConfig: { type: "percent", percent: 5 },
      displayContent: DISPLAY_CONTENT,
      rules: { merchant_ids: merchantsOf(deal, DEALS), confirmation: "retailer" },
      startsAt: null,
      endsAt: null,
    });
  }
}

/**
 * Open records and as many open payments, made by the database itself. It makes them without indexes, and
 * builds these afterwards: otherwise each row would look for its place in six of them.
 */
export async function fillHalves(store: Store, spec: StoredSpec, say: (text: string) => void): Promise<void> {
  const rebuild = await dropIndexes(store);
  for (let first = 0; first < spec.perSide; first += ROWS_PER_STATEMENT) {
    if (first % (4 * ROWS_PER_STATEMENT) === 0)
      say(`platform: making halves, ${2 * first} of ${2 * spec.perSide}`);
    const end = Math.min(spec.perSide, first + ROWS_PER_STATEMENT) - 1;
    // Side by side: there are two connections, and two cores.
    await Promise.all([insertRecords(store, spec, first, end), insertPayments(store, spec, first, end)]);
  }
  say("platform: building the indexes");
  await rebuild();
}

const TABLES = ["records", "payments", "open_records", "open_payments"] as const;

/** @returns how to make them again, unchanged */
async function dropIndexes(store: Store): Promise<() => Promise<void>> {
  const keys = await store<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'p' and conrelid = any(
      select ('platform.' || name)::regclass from unnest(${[...TABLES]}::text[]) as given (name)
    )`;
  for (const { table, name } of keys) await store.script(`alter table ${table} drop constraint ${name}`);
  const indexes = await store<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'platform' and tablename = any(${[...TABLES]}::text[])`;
  for (const { name } of indexes) await store.script(`drop index platform.${name}`);
  return async () => {
    const statements = [
      ...keys.map(
        ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
      ),
      ...indexes.map(({ definition }) => definition),
    ];
    // On both connections; no two of one table together make each other wait for long.
    const [half, rest] = [statements.filter((_, i) => i % 2 === 0), statements.filter((_, i) => i % 2 === 1)];
    await Promise.all([half, rest].map((own) => runAll(store, own)));
  };
}

async function runAll(store: Store, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await store.script(`set maintenance_work_mem = '512MB'; ${statement}; reset maintenance_work_mem`);
  }
}

/** `identifiersOf`, in SQL: of number `n`. */
function identifiersIn(store: Store, kind: HalfKind) {
  return store`
    sha256(convert_to(${kind} || ' ' || n || ' 6', 'UTF8'))
      || case when n % ${SHORT_EVERY} = 0 then '' else sha256(convert_to(${kind} || ' ' || n || ' 8', 'UTF8')) end`;
}

/** A UUIDv7 of the moment `at` and the number `n`, in its 32 digits: keys rise with time, as real ones do. */
function uuidIn(store: Store, kind: HalfKind) {
  return store`
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(${kind} || n), 1, 3)
      || '8' || substr(md5(${kind} || n), 4, 15))::uuid`;
}

async function insertRecords(store: Store, spec: StoredSpec, first: number, last: number): Promise<void> {
  const { seed, retailers } = spec;
  const numbers = Array.from({ length: retailers }, (_, i) => i);
  await store`
    with given as materialized (
      select
        n, at, ${uuidIn(store, "record")} as id, retailer.id as retailer_id, retailer.program_id,
        ${identifiersIn(store, "record")} as identifiers
      from ${momentsIn(store, spec, first, last)} as moment
      join unnest(
        ${numbers}::int[], ${numbers.map((one) => retailerId(spec, one))}::uuid[],
        ${numbers.map((one) => programId(spec, one))}::uuid[]
      ) as retailer (number, id, program_id) on retailer.number = n % ${retailers}
    ),
    made as (
      insert into platform.records (
        authed_at, arrived_at, transaction_id, retailer_id, is_open, shared, state, merchant_id, statement_descriptor,
        identifiers, enrolments, clips
      )
      select
        at, arrived, given.id, retailer_id, true, false, 'authorized', 'SHOP-' || n % ${retailers},
        'SHOP ' || n % ${retailers} || ' BERLIN DE', identifiers, array[md5('collection' || n)::uuid, program_id],
        case when n % ${CLIP_EVERY} = 0 then array[md5('clip' || n)::uuid, deal.id] end
      from given
      cross join (select min(at) as arrived from given) as arrival
      join unnest(
        ${Array.from({ length: DEALS }, (_, i) => i)}::int[],
        ${Array.from({ length: DEALS }, (_, i) => seededUuid(EPOCH_MS, seed + 73, i))}::uuid[]
      ) as deal (number, id) on deal.number = n % ${retailers} % ${DEALS}
    )
    insert into platform.open_records (key, authed_at, arrived_at, transaction_id)
    select key, at, arrived, id
    from given
    cross join (select min(at) as arrived from given) as arrival
    cross join lateral platform.open_keys(retailer_id, identifiers, null) as key`;
}

async function insertPayments(store: Store, spec: StoredSpec, first: number, last: number): Promise<void> {
  const { retailers } = spec;
  const numbers = Array.from({ length: retailers }, (_, i) => i);
  await store`
    with given as materialized (
      select
        n, at, md5('payment id ' || n)::uuid as id, retailer.id as retailer_id,
        ${identifiersIn(store, "payment")} as identifiers
      from ${momentsIn(store, spec, first, last)} as moment
      join unnest(${numbers}::int[], ${numbers.map((one) => retailerId(spec, one))}::uuid[])
        as retailer (number, id) on retailer.number = n % ${retailers}
    ),
    made as (
      insert into platform.payments (paid_at, arrived_at, amount, id, retailer_id, currency, payment_id, identifiers)
      select at, arrived, 100 + n % 20000, id, retailer_id, 'EUR', 'P-' || n, identifiers
      from given
      cross join (select min(at) as arrived from given) as arrival
    )
    insert into platform.open_payments (key, paid_at, arrived_at, payment_id)
    select key, at, arrived, id
    from given
    cross join (select min(at) as arrived from given) as arrival
    cross join lateral platform.open_keys(retailer_id, identifiers, null) as key`;
}

/** Numbers `n` and the moments `at` of their purchases, over the period and up to now. */
function momentsIn(store: Store, { perSide }: StoredSpec, first: number, last: number) {
  return store`(
    select n, now() - interval '1 day' * (${PERIOD_DAYS}::float8 * (${perSide} - n) / ${perSide}) as at
    from generate_series(${first}::int, ${last}::int) as n
  )`;
}

/** One in this many is for a retailer. */
const ROUTED_EVERY = 10;
/** One in this many of those finds its payment, which was there before. */
const PAID_EVERY = 2;
/** In ingest's packing. */
const RECORDS_PER_MESSAGE = 1000;

/** The expected result of the records: those that are kept, and those of them that find a payment. */
interface ExpectedRecords {
  readonly routed: number;
  readonly paired: number;
}

export function expectRecords(records: number): ExpectedRecords {
  const routed = Math.ceil(records / ROUTED_EVERY);
  return { routed, paired: Math.ceil(routed / PAID_EVERY) };
}

/**
 * Ingest's publications of new transactions. Those for a retailer belong to enrolled members, and so does
 * half of the others.
 */
export function recordMessages(spec: StoredSpec, records: number): PackedMessage[] {
  const nowMs = Date.now();
  const { paired } = expectRecords(records);
  const entries = Array.from({ length: records }, (_, number) => {
    const record =
      number % ROUTED_EVERY === 0
        ? routedRecord(spec, number / ROUTED_EVERY, Math.floor(spec.perSide / paired))
        : otherRecord(spec, number);
    const { enrolments, ...described } = record;
    const authedAt = new Date(nowMs - records + number).toISOString().replace("Z", "000Z");
    const id = seededUuid(nowMs - records + number, spec.seed + 81, number);
    const bytes = writeRecord({ id, authedAt, clearedAt: null, revertedAt: null, ...described });
    return linkRecord(bytes, { clips: [], enrolments });
  });
  return cutEntries(entries, RECORDS_PER_MESSAGE, packRecordMessage);
}

type Described = Pick<
  StoredTransaction,
  "identifier6" | "identifier8" | "merchantId" | "statementDescriptor"
> &
  Pick<RecordLinks, "enrolments">;

/** @param stride the distance between the payments that are paired: all over the table */
function routedRecord(spec: StoredSpec, number: number, stride: number): Described {
  const isPaid = number % PAID_EVERY === 0;
  const payment = (number / PAID_EVERY) * stride;
  const retailer = retailerOf(spec, isPaid ? payment : mix(spec.seed + 82, number));
  return {
    ...identifiersInRecord(isPaid ? "payment" : "newcomer", isPaid ? payment : number),
    merchantId: merchantOf(retailer),
    statementDescriptor: `SHOP ${retailer} BERLIN DE`,
    enrolments: [enrolment(spec, number, retailer)],
  };
}

function otherRecord(spec: StoredSpec, number: number): Described {
  const merchant = mix(spec.seed + 83, number) % 50_000;
  return {
    ...identifiersInRecord("newcomer", number),
    merchantId: `MID-${merchant}`,
    statementDescriptor: `STORE ${merchant} BERLIN DE`,
    enrolments: number % 2 === 0 ? [enrolment(spec, number, merchant)] : [],
  };
}

function identifiersInRecord(kind: HalfKind, number: number): Pick<Described, "identifier6" | "identifier8"> {
  const [identifier6, identifier8 = null] = identifiersOf(kind, number) as [string, string?];
  return { identifier6, identifier8 };
}

function enrolment(spec: StoredSpec, number: number, program: number): Described["enrolments"][number] {
  return { id: seededUuid(0, spec.seed + 84, number), loyaltyProgramId: programId(spec, program) };
}
