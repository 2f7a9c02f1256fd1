import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import type { BatchEvent } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { verifyRewards } from "#publisher-db";
import { getMember } from "../../../services/edge/src/members/member-rows.ts";
import {
  exportTransactions,
  listTransactions,
} from "../../../services/edge/src/transactions/transaction-lists.ts";
import { getTransaction } from "../../../services/edge/src/transactions/transaction-rows.ts";
import { toEventBatch } from "../../../services/ingest/src/batch/event-batch.ts";
import { KnownKeys } from "../../../services/ingest/src/batch/known-keys.ts";
import { forgetMembers } from "../../../services/ingest/src/cleanup/forget-members.ts";
import { sweepDeletedMemberbases } from "../../../services/ingest/src/cleanup/sweep-deleted-memberbases.ts";
import { createWorld, fillDatabase, type World } from "../ingest/world.ts";
import { purchaseOf, writeBatch } from "../ingest/write-batch.ts";
import type { Setting } from "../kit/benchmark.ts";
import { fillScale, forgetStatistics, HISTORY_MS } from "./fill-scale.ts";
import type { ScaleOptions } from "./options.ts";

const DATABASE = "bench_scale";
const BATCH = 500;

/** Milliseconds of each read, in their order. */
export interface Read {
  readonly name: string;
  /** For keys that were not read before, with nothing of the tables in the system's page cache. */
  readonly cold: readonly number[];
  /** The same keys again. */
  readonly warm: readonly number[];
}

/** Bytes of write-ahead log that an event takes, from a checkpoint on. */
export interface Written {
  readonly how: string;
  readonly bytesAnEvent: number;
}

export interface ScaleResults {
  readonly rows: Readonly<Record<string, number>>;
  /** Bytes a row of tables and indexes. */
  readonly bytes: Readonly<Record<string, number>>;
  readonly reads: readonly Read[];
  readonly written: readonly Written[];
  readonly deletion: {
    readonly membersASecond: number;
    readonly walBytesAMember: number;
    /** Milliseconds of each batch of ingestion. */
    readonly alone: readonly number[];
    readonly beside: readonly number[];
  };
  readonly verify: { readonly seconds: number; readonly tempBytes: number };
  readonly faults: readonly string[];
}

/**
 * Fills a database by SQL, and measures the costs of its size: bytes, reads, the write-ahead log, the
 * deletion of a memberbase, and `verify`.
 */
export async function measureScale({ servers, options, say }: Setting<ScaleOptions>): Promise<ScaleResults> {
  await servers.execute("stampede", `create database ${DATABASE}`);
  const url = servers.databaseUrl(DATABASE);
  const world = createWorld(options.seed, options.members);
  await fillDatabase(url, options.seed, world);
  const store = connectStore({ url, max: 3, applicationName: "bench" });
  const filling = connectStore({ url, max: 1, applicationName: "bench-fill" });
  try {
    await fillScale(filling, world, options, say);
    const { rows, bytes } = await measureBytes(store);
    say("reads without statistics");
    await forgetStatistics(filling);
    const without = await measureReads(store, world, options, "without statistics");
    await filling.script("analyze");
    say("reads with statistics");
    const reads = [...(await measureReads(store, world, options, "analysed")), ...without];
    const written: Written[] = [];
    for (const [compression, key] of [
      ["off", "sorted"],
      ["off", "random"],
      ["pglz", "sorted"],
      ["pglz", "random"],
    ] as const) {
      say(`writing ${key} keys, wal_compression ${compression}`);
      await servers.execute("stampede", `alter system set wal_compression = ${compression}`);
      await servers.execute("stampede", "select pg_reload_conf()");
      await filling.script("checkpoint");
      const before = await walBytes(store);
      await write(store, world, options.written, key);
      written.push({
        how: `${key} keys, wal_compression ${compression}`,
        bytesAnEvent: ((await walBytes(store)) - before) / options.written,
      });
    }
    say("verify");
    const verify = await measureVerify(store);
    say("deleting a memberbase");
    const deletion = await measureDeletion(store, world, options);
    const faults = await faultsAfter(store, world, verify.faults);
    return { rows, bytes, reads, written, deletion, verify, faults };
  } finally {
    await closeStore(filling);
    await closeStore(store);
  }
}

async function walBytes(store: Store): Promise<number> {
  const [{ bytes }] = await store<[{ bytes: number }]>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`;
  return bytes;
}

async function measureBytes(store: Store): Promise<Pick<ScaleResults, "rows" | "bytes">> {
  const rows: Record<string, number> = {};
  const bytes: Record<string, number> = {};
  for (const table of ["transactions", "events", "members", "stamp_collections", "qualifying_purchases"]) {
    const [{ count }] = await store<[{ count: number }]>`select count(*) from ${store(table)}`;
    rows[table] = count;
    const relations = await store<{ name: string; size: number }[]>`
      select c.relname as name, pg_relation_size(c.oid)::float8 as size from pg_class c
      where c.oid = ${table}::regclass or c.oid in (select indexrelid from pg_index where indrelid = ${table}::regclass)`;
    for (const { name, size } of relations) bytes[name] = size / count;
  }
  return { rows, bytes };
}

/** Each kind of read, with its own keys: cold, and then the same again. */
async function measureReads(
  store: Store,
  { organisationId, memberIds }: World,
  { reads, rows }: ScaleOptions,
  how: string,
): Promise<Read[]> {
  const keys = await sampleKeys(store, reads, rows);
  const page = { limit: 500 };
  const kinds: ReadonlyArray<readonly [string, (at: number) => Promise<unknown>]> = [
    ["transaction/get", (at) => getTransaction(store, organisationId, keys[at]?.externalId as string)],
    [
      "transaction/list",
      (at) => listTransactions(store, { organisationId, memberId: keys[at]?.memberId as string }, page),
    ],
    [
      "member/get",
      (at) => getMember(store, organisationId, { id: memberIds[(at * 7919) % memberIds.length] as string }),
    ],
    [
      "export, a page of 500",
      (at) => exportTransactions(store, { organisationId }, { ...page, after: `0 ${keys[at]?.externalId}` }),
    ],
  ];
  const measured: Read[] = [];
  for (const [name, read] of kinds) {
    await dropCaches(store);
    const round = async () => {
      const took: number[] = [];
      for (let at = 0; at < keys.length; at++) {
        const startedAt = performance.now();
        await read(at);
        took.push(performance.now() - startedAt);
      }
      return took;
    };
    measured.push({ name: `${name}, ${how}`, cold: await round(), warm: await round() });
  }
  return measured;
}

/** Of transactions that lie anywhere. */
async function sampleKeys(store: Store, count: number, rows: number) {
  return store<{ externalId: string; memberId: string }[]>`
    select external_id as "externalId", member_id as "memberId"
    from (
      select * from transactions tablesample bernoulli (${Math.min(100, (200 * count) / rows)}::float4)
    ) as sampled
    order by random() limit ${count}`;
}

const WORTH_DROPPING_BYTES = 2 ** 20;

/**
 * Drops PostgreSQL's files from the system's page cache, as far as that is possible. Its own buffers hold 256
 * MB.
 */
async function dropCaches(store: Store): Promise<void> {
  await store.script("checkpoint");
  const [{ dir }] = await store<[{ dir: string }]>`select current_setting('data_directory') as dir`;
  const base = join(dir, "base");
  for (const database of readdirSync(base)) {
    for (const name of readdirSync(join(base, database))) {
      const file = join(base, database, name);
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < WORTH_DROPPING_BYTES) continue;
      execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0"], { stdio: "ignore" });
    }
  }
}

/** New purchases in batches of 500, written like ingest's, each of any member. */
async function write(store: Store, world: World, count: number, key: "sorted" | "random"): Promise<number[]> {
  const keys = new KnownKeys();
  const took: number[] = [];
  for (let written = 0; written < count; written += BATCH) {
    const batch = toEventBatch(Array.from({ length: BATCH }, (_, ord) => purchase(world, ord, key)));
    const sentAt = performance.now();
    await writeBatch(store, batch, keys);
    took.push(performance.now() - sentAt);
  }
  return took;
}

function purchase(world: World, ord: number, key: "sorted" | "random"): BatchEvent {
  const hash = createHash("sha256").update(uuidv7()).digest("hex");
  return purchaseOf(world, ord, {
    ...(key === "random" && { externalId: randomKey(hash) }),
    statementDescriptor: "A SHOP SOMEWHERE",
    identifier6: hash,
    identifier8: hash,
  });
}

/** Anywhere among those that are stored. */
function randomKey(hash: string): string {
  const at = Math.floor(Date.now() - Math.random() * HISTORY_MS);
  return uuidOf(at.toString(16).padStart(12, "0") + hash.slice(0, 20));
}

const uuidOf = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

async function measureVerify(store: Store) {
  const temp = async () => {
    // A backend's counters show once it has been idle for a moment, or is asked to flush them.
    const [row] = await store<[{ bytes: number }]>`
      select temp_bytes::float8 as bytes, pg_stat_force_next_flush() from pg_stat_database where datname = current_database()`;
    return row.bytes;
  };
  const before = await temp();
  const startedAt = performance.now();
  const { faults } = await verifyRewards(store);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, tempBytes: (await temp()) - before, faults };
}

/** A memberbase is deleted, while purchases of others come in. */
async function measureDeletion(store: Store, world: World, { leaving, written }: ScaleOptions) {
  const base = uuidv7();
  await store`insert into memberbases (id, organisation_id, name) values (${base}, ${world.organisationId}, 'leaves')`;
  await store`
    with moved as (
      update members set memberbase_id = ${base} where id = any(${world.memberIds.slice(0, leaving)}::uuid[]) returning 1
    )
    update memberbases set member_count = (select count(*) from moved) where id = ${base}`;
  const other = { ...world, memberIds: world.memberIds.slice(leaving) };
  const alone = await write(store, other, written, "sorted");
  await store`update memberbases set deleted_at = now() where id = ${base}`;
  // Some steps alone, to measure their writes; then the rest during ingestion.
  const before = await walBytes(store);
  let gone = 0;
  while (gone < leaving / 4) gone += await sweepDeletedMemberbases(store);
  const walBytesAMember = ((await walBytes(store)) - before) / gone;
  const startedAt = performance.now();
  let isOver = false;
  const forgetting = forgetMembers(store).finally(() => {
    isOver = true;
  });
  const beside: number[] = [];
  do beside.push(...(await write(store, other, 20 * BATCH, "sorted")));
  while (!isOver);
  await forgetting;
  const seconds = (performance.now() - startedAt) / 1000;
  return { membersASecond: (leaving - gone) / seconds, walBytesAMember, alone, beside };
}

async function faultsAfter(
  store: Store,
  { organisationId }: World,
  found: readonly { readonly kind: string }[],
): Promise<string[]> {
  const faults = found.map(({ kind }) => `verify: ${kind}`).slice(0, 10);
  const { records } = await exportTransactions(store, { organisationId }, { limit: 500 });
  const rows = await store<{ externalId: string }[]>`
    select external_id as "externalId" from transactions t join members m on m.id = t.member_id
    where external_id = any(${records.map(({ externalId }) => externalId)}::text[])`;
  const known = new Set(rows.map(({ externalId }) => externalId));
  if (records.some(({ externalId, memberId }) => (memberId !== null) !== known.has(externalId))) {
    faults.push("a deleted member shows in its transactions, or another one does not");
  }
  return faults;
}
