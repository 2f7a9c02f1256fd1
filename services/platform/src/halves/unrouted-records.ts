import { createHash } from "node:crypto";
import { LIMITS } from "#contract";
import type { PlatformRecord } from "#contract/platform";
import { decodeId } from "#domain";
import {
  namesMerchant,
  normaliseMerchantText,
  type PreparedPrograms,
  type PreparedRules,
  type RouteIndex,
} from "#domain/platform";
import type { BatchHandler } from "#nats";
import type { Sql, Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import type { ConfigurationCache } from "../configuration/configuration.ts";

/*
 * A retailer, or a merchant id of one, may be made after purchases with it: they are its own all the same (`routeTransaction`), whether
 * they are told of before or after. Nine of ten records are of merchants that no retailer will ever have, so they are kept only where
 * a purchase could earn: where a program or deal of their links named the merchant id when they were authorized. That changes no
 * more, and a link that is made later has the publisher tell of them again.
 */

/** Whether a program or deal of its links names its merchant id: it may earn once a retailer has that. */
export function mayEarn(
  { programs, deals }: PreparedPrograms,
  record: PlatformRecord,
  authedAt: number,
): boolean {
  const { enrolments, clips, merchant_id: merchantId } = record;
  const isNamed = (of: { readonly rules: PreparedRules } | undefined) =>
    of !== undefined && namesMerchant(of.rules, merchantId);
  return (
    enrolments.some(({ loyalty_program_id: id }) =>
      isNamed(programs.inForce(decodeId("lp", id) ?? "", authedAt)),
    ) || clips.some(({ deal_id: id }) => isNamed(deals.inForce(decodeId("deal", id) ?? "", authedAt)))
  );
}

/** A record of a merchant id that no retailer has had. */
export interface UnroutedRecord {
  /** UUID. */
  readonly transactionId: string;
  readonly record: PlatformRecord;
  /** It may earn (`mayEarn`). If not, it reverts, and is kept where an earlier one of its transaction is: its links are gone since. */
  readonly isAwaiting: boolean;
}

/** To be called before their message is done. */
export async function keepUnrouted(sql: Sql, records: readonly UnroutedRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(({ transactionId, record, isAwaiting }) => {
    const text = JSON.stringify(record);
    const hash = `\\x${createHash("sha256").update(text).digest("hex")}`;
    return { transaction_id: transactionId, hash, record: text, is_awaiting: isAwaiting };
  });
  await sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
        transaction_id uuid, hash bytea, record text, is_awaiting boolean
      )
    )
    insert into platform.unrouted_records (transaction_id, hash, record)
    select transaction_id, hash, record from input
    where is_awaiting or transaction_id in (select transaction_id from input where is_awaiting)
      or exists (select from platform.unrouted_records kept where kept.transaction_id = input.transaction_id)
    order by hash
    on conflict do nothing`;
}

const INTERVAL_MS = 1_000;
/** Where there are many, looking in vain takes at most this share of the time. */
const BUSY_SHARE = 0.05;
const ROWS_PER_STEP = 500;

interface UnroutedWalkParts {
  readonly store: Store;
  readonly configuration: ConfigurationCache;
  readonly handle: BatchHandler;
}

/**
 * In the background, has kept records handled that a retailer has now. Several processes may do it at once: a record that is handled
 * twice says nothing new. They are removed after that, so a crash in between handles them again.
 * @returns ends this, and waits for the step under way
 */
export function startUnroutedWalk(parts: UnroutedWalkParts & { readonly log: Log }): () => Promise<void> {
  let restUntil = 0;
  const { stop } = repeat({
    name: "records of merchants that no retailer had",
    everyMs: INTERVAL_MS,
    work: async (signal) => {
      const begin = performance.now();
      if (begin < restUntil) return;
      const isIdle = (await walkUnrouted(parts, signal)) === 0;
      const end = performance.now();
      if (isIdle) restUntil = end + (end - begin) / BUSY_SHARE;
    },
    failed: "purchases of merchants that have a retailer now wait for it; trying again",
    log: parts.log,
  });
  return stop;
}

/** @returns how many were handled */
export async function walkUnrouted(
  { store, configuration, handle }: UnroutedWalkParts,
  signal: AbortSignal,
): Promise<number> {
  let [after, handled] = [0, 0];
  while (!signal.aborted) {
    const rows = await store<{ position: number; record: string }[]>`
      select position, record from platform.unrouted_records
      where position > ${after} order by position limit ${ROWS_PER_STEP}`;
    const last = rows.at(-1);
    if (last === undefined) break;
    const { routes } = await configuration.current();
    const owned = rows.filter(({ record }) => hasHadOwner(routes, JSON.parse(record).merchant_id));
    if (owned.length > 0) {
      const data = Buffer.from(`{"v":1,"records":[${owned.map(({ record }) => record).join(",")}]}`);
      const numbers = { partition: 0, sequence: 0, storedAtMs: 0, rows: owned.length };
      await handle([{ ...numbers, subject: "", data, traceIds: "", traceparent: "" }]);
      const positions = owned.map(({ position }) => position);
      await store`delete from platform.unrouted_records where position = any(${positions}::bigint[])`;
    }
    handled += owned.length;
    after = last.position;
  }
  return handled;
}

/** Then it is decided to whom its purchases belong, be it to nobody. */
export function hasHadOwner(routes: RouteIndex, merchantId: string): boolean {
  return routes.has(normaliseMerchantText(merchantId));
}

/** At most a thousand that were kept for so long. @returns how many */
export async function forgetUnrouted(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from platform.unrouted_records where position in (
      select position from (
        select position, kept_at from platform.unrouted_records order by position limit ${2 * ROWS_PER_STEP}
      ) as oldest
      where kept_at < now() - ${LIMITS.matchWindowMs + LIMITS.pairedKeptMs}::float8 * interval '1 millisecond'
    )
    returning 1`;
  return rows.length;
}
