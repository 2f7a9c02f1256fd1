import { LIMITS } from "#contract";
import { RECORD_FIELDS } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { type BatchHandler, unstoredMessage } from "#nats";
import type { Sql, Store } from "#postgres";
import { type Log, repeat, restingWhenIdle } from "#runtime";
import type { ConfigurationCache } from "../configuration/configuration.ts";
import type { PreparedPrograms } from "../rules/explain-purchase.ts";
import { normaliseMerchantText, type RouteIndex } from "../rules/route-transaction.ts";
import { namesMerchant, type PreparedRules } from "../rules/rules.ts";
import { compareIds } from "./record-rows.ts";
import type { SaidRecord } from "./said-record.ts";

/*
 * A retailer may get a merchant id after purchases with it: these still belong to it (`routeTransaction`),
 * whether their records come before or after. Nine of ten records are of merchants that no retailer will ever
 * have. So records are kept only if the purchase could earn: a program or deal of its links named the
 * merchant id at the time of authorization. This never changes, and for a link that is made later the
 * publisher sends the records again. A reversal may have lost the links, and may overtake its purchase, which
 * would then wait for a payment for ever: it is kept if any program or deal names the merchant id.
 */

/** The programs and deals, which name merchant ids. */
export interface Named {
  readonly prepared: PreparedPrograms;
  /** Normalised merchant ids that any program or deal names or has named. */
  readonly named: ReadonlySet<string>;
}

/**
 * Whether a program or deal of the record's links names its merchant id: it may earn once a retailer has
 * that. A reversal counts if any program or deal names it.
 */
export function mayEarn({ prepared, named }: Named, said: SaidRecord): boolean {
  if (said.isReverted) return named.has(normaliseMerchantText(said.merchantId()));
  if (!said.hasLinks) return false;
  const { programs, deals } = prepared;
  const merchantId = said.merchantId();
  const isNamed = (of: { readonly rules: PreparedRules } | undefined) =>
    of !== undefined && namesMerchant(of.rules, merchantId);
  return (
    [...said.enrolments().values()].some((id) => isNamed(programs.inForce(id, said.authedAt))) ||
    [...said.clips().values()].some((id) => isNamed(deals.inForce(id, said.authedAt)))
  );
}

/** A record with a merchant id that no retailer has had. */
export interface UnroutedRecord {
  /** UUID. */
  readonly transactionId: string;
  readonly record: PlatformRecord;
}

/** The content of a row. */
interface Told extends Pick<UnroutedRecord, "transactionId"> {
  readonly records: readonly PlatformRecord[];
}

/**
 * The publisher changes descriptor and state at most twice each, and adds identifiers when it learns two more
 * digits.
 */
const RECORDS_PER_TRANSACTION = 8;

/**
 * Keeps records; call it before their message is done. A transaction has one row: a row for each link would
 * be many. Two records that differ only in links become one with the links of both (`mergeRecord`). Other
 * records stay separate and in order: the first descriptor that belongs to a retailer decides, and the
 * retailer is not known yet.
 */
export async function keepUnrouted(store: Store, records: readonly UnroutedRecord[]): Promise<void> {
  const told = new Map<string, Told>();
  for (const { transactionId, record } of records) {
    const before = told.get(transactionId);
    told.set(transactionId, { transactionId, records: addRecord(before?.records ?? [], record) });
  }
  let left = [...told.values()].sort((a, b) => compareIds(a.transactionId, b.transactionId));
  while (left.length > 0) {
    const rows = left;
    left = await store.begin((sql) => keepRows(sql, rows));
  }
}

/** @returns those whose row a walk handled and removed meanwhile: they must be kept again */
async function keepRows(sql: Sql, told: readonly Told[]): Promise<Told[]> {
  const inserted = await insertRows(sql, told);
  const rest = told.filter(({ transactionId }) => !inserted.has(transactionId));
  if (rest.length === 0) return [];
  const found = await sql<{ id: string; records: string }[]>`
    select transaction_id as id, records from platform.unrouted_records
    where transaction_id = any(${rest.map(({ transactionId }) => transactionId)}::uuid[])
    order by transaction_id
    for update`;
  const kept = new Map(found.map(({ id, records }) => [id, records]));
  const changed = rest.flatMap(({ transactionId, records }) => {
    const before = kept.get(transactionId);
    if (before === undefined) return [];
    const after = JSON.stringify(records.reduce(addRecord, JSON.parse(before)));
    return after === before ? [] : [{ transaction_id: transactionId, records: after }];
  });
  if (changed.length > 0) {
    await sql`
      update platform.unrouted_records kept set records = input.records, position = default
      from json_to_recordset(${JSON.stringify(changed)}::text::json) as input (transaction_id uuid, records text)
      where kept.transaction_id = input.transaction_id`;
  }
  return rest.filter(({ transactionId }) => !kept.has(transactionId));
}

async function insertRows(sql: Sql, told: readonly Told[]): Promise<ReadonlySet<string>> {
  const input = told.map(({ transactionId, records }) => {
    const { merchant_id, authed_at } = records[0] as PlatformRecord;
    const merchantId = normaliseMerchantText(merchant_id);
    return {
      transaction_id: transactionId,
      merchant_id: merchantId,
      authed_at,
      records: JSON.stringify(records),
    };
  });
  const rows = await sql<{ id: string }[]>`
    insert into platform.unrouted_records (transaction_id, merchant_id, authed_at, records)
    select * from json_to_recordset(${JSON.stringify(input)}::text::json) as input (
      transaction_id uuid, merchant_id text, authed_at timestamptz, records text
    )
    on conflict do nothing
    returning transaction_id as id`;
  return new Set(rows.map(({ id }) => id));
}

/** Beyond the bound, keeps the first records and the newest. */
function addRecord(kept: readonly PlatformRecord[], told: PlatformRecord): readonly PlatformRecord[] {
  const said = withoutLinks(told);
  const at = kept.findIndex((record) => withoutLinks(record) === said);
  if (at === -1) return [...kept.slice(0, RECORDS_PER_TRANSACTION - 1), told];
  const before = kept[at] as PlatformRecord;
  const clips = addLinks(before.clips, told.clips, ({ clip_id }) => clip_id);
  const enrolments = addLinks(before.enrolments, told.enrolments, (link) => link.stamp_collection_id);
  return kept.with(at, { ...before, clips, enrolments });
}

const WITHOUT_LINKS = RECORD_FIELDS.filter(({ from }) => from.length > 0).map(({ name }) => name);

function withoutLinks(record: PlatformRecord): string {
  return JSON.stringify(WITHOUT_LINKS.map((name) => record[name]));
}

function addLinks<Link>(kept: Link[], told: readonly Link[], idOf: (link: Link) => string): Link[] {
  const known = new Set(kept.map(idOf));
  return [...kept, ...told.filter((link) => !known.has(idOf(link)))];
}

const INTERVAL_MS = 1_000;
/**
 * With many merchant ids, fruitless searches take at most this share of the time, except for one search a
 * minute.
 */
const IDLE_SHARE = 0.05;
const MERCHANTS_PER_STEP = 1_000;
const ROWS_PER_STEP = 500;
const ROWS_PER_PASS = 20 * ROWS_PER_STEP;

interface UnroutedWalkParts {
  readonly store: Store;
  readonly configuration: ConfigurationCache;
  readonly handle: BatchHandler;
}

/**
 * Handles kept records whose merchant id has a retailer now, in the background. Several processes may do it
 * at the same time: handling a record twice changes nothing. The rows are removed afterwards, so after a
 * crash they are handled again.
 * @returns a function that ends this, and waits for the step under way
 */
export function startUnroutedWalk(parts: UnroutedWalkParts & { readonly log: Log }): () => Promise<void> {
  const { stop } = repeat({
    name: "records of merchants that no retailer had",
    everyMs: INTERVAL_MS,
    work: restingWhenIdle(IDLE_SHARE, async (signal) => (await walkUnrouted(parts, signal)) > 0),
    failed: "purchases of merchants that have a retailer now wait for it; trying again",
    log: parts.log,
  });
  return stop;
}

/**
 * One pass over at most 10,000 transactions, the newest purchases first: if a new retailer makes several
 * count, the newest redeems a clip.
 * @returns how many
 */
export async function walkUnrouted(
  { store, configuration, handle }: UnroutedWalkParts,
  signal: AbortSignal,
): Promise<number> {
  const merchants = await ownedMerchants(store, configuration, signal);
  if (merchants.length === 0) return 0;
  const due = await store<{ id: string }[]>`
    select kept.id
    from unnest(${merchants}::text[]) as merchant (id)
    cross join lateral (
      select transaction_id as id, authed_at from platform.unrouted_records
      where merchant_id = merchant.id order by authed_at desc limit ${ROWS_PER_PASS}
    ) as kept
    order by kept.authed_at desc limit ${ROWS_PER_PASS}`;
  for (let at = 0; at < due.length && !signal.aborted; at += ROWS_PER_STEP) {
    const ids = due.slice(at, at + ROWS_PER_STEP).map(({ id }) => id);
    const rows = await store<{ id: string; position: number; records: string }[]>`
      select transaction_id as id, position, records from platform.unrouted_records
      where transaction_id = any(${ids}::uuid[]) order by authed_at desc`;
    // Another process may have handled all of them.
    if (rows.length === 0) continue;
    const records = rows.map((row) => row.records.slice(1, -1));
    const data = Buffer.from(`{"v":1,"records":[${records.join(",")}]}`);
    await handle([unstoredMessage(data, rows.length)]);
    // A row that got more records meanwhile has a new position, and is handled once more.
    await store`
      delete from platform.unrouted_records kept
      using unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ position }) => position)}::bigint[])
        as handled (id, position)
      where kept.transaction_id = handled.id and kept.position = handled.position`;
  }
  return due.length;
}

/** The merchant ids of kept records that a retailer has had. The index leads from each to the next: no record is read. */
async function ownedMerchants(
  store: Store,
  configuration: ConfigurationCache,
  signal: AbortSignal,
): Promise<string[]> {
  const owned: string[] = [];
  let after = "";
  while (!signal.aborted) {
    const rows = await store<{ id: string }[]>`
      with recursive merchant (id) as (
        select min(merchant_id) from platform.unrouted_records where merchant_id > ${after}
        union all
        select (select min(merchant_id) from platform.unrouted_records where merchant_id > merchant.id)
        from merchant where id is not null
      )
      select id from merchant where id is not null limit ${MERCHANTS_PER_STEP}`;
    const last = rows.at(-1);
    if (last === undefined) break;
    const { routes } = await configuration.current();
    owned.push(...rows.flatMap(({ id }) => (hasHadOwner(routes, id) ? id : [])));
    if (rows.length < MERCHANTS_PER_STEP) break;
    after = last.id;
  }
  return owned;
}

/** Whether a retailer has ever had this merchant id: then routing decides about all its purchases. */
export function hasHadOwner(routes: RouteIndex, merchantId: string): boolean {
  return routes.has(normaliseMerchantText(merchantId));
}

/** Deletes at most a thousand rows that are too old. @returns how many */
export async function forgetUnrouted(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from platform.unrouted_records where transaction_id in (
      select transaction_id from platform.unrouted_records
      where kept_at < now() - ${LIMITS.matchWindowMs + LIMITS.pairedKeptMs}::float8 * interval '1 millisecond'
      order by kept_at limit ${2 * ROWS_PER_STEP}
    )
    returning 1`;
  return rows.length;
}
