import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { microsecondsOf } from "#domain";
import { closeStore, connectStore, migrateSet, migrationsDirectory, type Store } from "#postgres";
import { testServers } from "#test-support";
import {
  ConfigurationCache,
  readConfiguration,
} from "../../../services/platform/src/configuration/configuration.ts";
import { programTable } from "../../../services/platform/src/configuration/programs.ts";
import { readKeptPurchase } from "../../../services/platform/src/explain/kept-purchase.ts";
import { pairHalves } from "../../../services/platform/src/matching/pair-halves.ts";
import { storePayments } from "../../../services/platform/src/matching/store-payments.ts";
import { storeRecords } from "../../../services/platform/src/matching/store-records.ts";
import {
  faultsOf,
  identifierOf,
  pairsOf,
  queued,
  testPayment,
} from "../../../services/platform/src/matching/test-halves.ts";
import { walkReleases } from "../../../services/platform/src/matching/walk-releases.ts";
import type { PurchaseRecord } from "../../../services/platform/src/rules/merge-record.ts";
import { outcomeId } from "../../../services/platform/src/rules/rules.ts";
import { migratePlatform } from "./migrate-platform.ts";

/* The platform's database with rows from before revisions were kept (migration 0002), brought to today's schema. */

const CREATED = "2026-01-01T00:00:00.000001Z";
const DELETED = "2026-02-01T00:00:00.000001Z";
const AUTHED = "2026-01-15T00:00:00.000001Z";
const [SHOP, PROGRAM, DEAL, PAST_PROGRAM, PAST_DEAL, CARD, CLIP] = [1, 2, 3, 4, 5, 6, 7].map(
  (n) => `00000000-0000-7000-8000-00000000000${n}`,
) as [string, string, string, string, string, string, string];
const RULES = JSON.stringify({ merchant_ids: ["M-1"], confirmation: "retailer" });

/** The first release's database, with one migration. */
async function firstRelease(t: Test): Promise<{ url: string; store: Store }> {
  const url = await (await testServers()).emptyDatabaseUrl();
  const directory = await mkdtemp(join(tmpdir(), "stampede-first-release-"));
  t.teardown(() => rm(directory, { recursive: true }));
  const first = "0001_platform.sql";
  await copyFile(join(migrationsDirectory("platform-db"), first), join(directory, first));
  await migrateSet({ directory, schema: "platform", lock: "migratePlatform" }, url, () => {});
  const store = connectStore({ url, max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  return { url, store };
}

async function addConfiguration(store: Store): Promise<void> {
  await store`
    insert into platform.retailers (created_at, id, name, merchant_ids, statement_descriptors, token_hash)
    values (${CREATED}::text::timestamptz, ${SHOP}, 'Shop', '{M-1}', '{}', decode(repeat('01', 32), 'hex'))`;
  for (const [id, deletedAt] of [
    [PROGRAM, null],
    [PAST_PROGRAM, DELETED],
  ] as const) {
    await store`
      insert into platform.loyalty_programs (
        created_at, deleted_at, id, revision, qualifying_threshold, name, reward_config, display_content, rules
      )
      values (
        ${CREATED}::text::timestamptz, ${deletedAt}::text::timestamptz, ${id}, 4, 3, 'Coffee', '{"type": "refund"}', '{}',
        ${RULES}::text::jsonb
      )`;
  }
  for (const [id, deletedAt] of [
    [DEAL, null],
    [PAST_DEAL, DELETED],
  ] as const) {
    await store`
      insert into platform.deals (created_at, deleted_at, id, name, reward_config, display_content, rules)
      values (
        ${CREATED}::text::timestamptz, ${deletedAt}::text::timestamptz, ${id}, 'Ten', '{"type": "percent", "percent": 10}',
        '{}', ${RULES}::text::jsonb
      )`;
  }
}

interface OldHalves {
  readonly name: string;
  readonly state?: string;
  readonly isPaired?: boolean;
  readonly outcomes?: readonly string[];
}

/** A record, with its payment if it is paired, in the form of the first release. */
async function addHalves(
  store: Store,
  { name, state = "authorized", isPaired = false, outcomes }: OldHalves,
) {
  const transactionId = uuidv7();
  const [paymentId, identifier] = [uuidv7(), identifierOf(name)];
  await store`
    insert into platform.records (
      authed_at, transaction_id, retailer_id, payment_id, is_open, shared, state, merchant_id, identifiers, clips, enrolments,
      outcomes
    )
    values (
      ${AUTHED}::text::timestamptz, ${transactionId}, ${SHOP}, ${isPaired ? paymentId : null}, ${!isPaired}, false, ${state},
      'M-1', decode(${identifier}, 'hex'), ${[CLIP, DEAL]}::uuid[], ${[CARD, PROGRAM]}::uuid[],
      ${outcomes === undefined ? null : [...outcomes]}::uuid[]
    )`;
  if (!isPaired) {
    await store`
      insert into platform.open_records (key, authed_at, transaction_id)
      select key, ${AUTHED}::text::timestamptz, ${transactionId}
      from platform.half_keys(${SHOP}, decode(${identifier}, 'hex')) as key`;
  } else {
    await store`
      insert into platform.payments (
        paid_at, amount, id, retailer_id, transaction_id, is_open, currency, payment_id, identifiers
      )
      values (
        ${AUTHED}::text::timestamptz, 1000, ${paymentId}, ${SHOP}, ${transactionId}, false, 'EUR', ${name},
        decode(${identifier}, 'hex')
      )`;
  }
  return transactionId;
}

async function upgraded(t: Test, ...halves: OldHalves[]) {
  const { url, store } = await firstRelease(t);
  await addConfiguration(store);
  const ids: string[] = [];
  for (const half of halves) ids.push(await addHalves(store, half));
  await migratePlatform(url);
  const judge = async () => (await new ConfigurationCache(store).current()).judge;
  return { store, ids: ids as [string, string, string], judge };
}

t.test(
  "upgrade - a stored record was in force from its creation, and a deleted one until its deletion",
  async (t) => {
    const { store } = await upgraded(t);
    const { retailers, programs, deals } = await readConfiguration(store);
    const [created, deleted] = [CREATED, DELETED].map(microsecondsOf);
    t.match(retailers, [{ id: SHOP, since: created, value: { merchantIds: ["M-1"] } }]);
    const value = { threshold: 3, revision: 4, reward: { type: "refund" }, rules: { merchantIds: ["M-1"] } };
    t.match(programs, [
      { id: PROGRAM, since: created, value },
      { id: PAST_PROGRAM, since: created, value },
      { id: PAST_PROGRAM, since: deleted, value: null },
    ]);
    t.match(deals, [
      { id: DEAL, since: created, value: { reward: { type: "percent", percent: 10 } } },
      { id: PAST_DEAL, since: created, value: {} },
      { id: PAST_DEAL, since: deleted, value: null },
    ]);
  },
);

t.test(
  "upgrade - a waiting half is judged by the revision of the upgrade's day, with later ones stored",
  async (t) => {
    const { store, ids, judge } = await upgraded(t, { name: "waits" });
    const [waits] = ids;
    const program = { name: "Coffee", qualifyingThreshold: 9, rewardConfig: { type: "refund" } as const };
    const displayContent = { title: "T", image: "I", summary: "S", description: "D", terms: "C" };
    const rules = { merchant_ids: ["M-2"], confirmation: "none" as const };
    await programTable.replace(store, { ...program, id: PROGRAM, displayContent, rules });
    const payment = testPayment("waits", { paidAt: microsecondsOf(AUTHED), amount: 1000 });
    const { unpaired } = await storePayments(store, SHOP, [payment], await judge());
    t.strictSame(unpaired, [], "it is paired immediately");
    const told = await store<
      { outcome: string }[]
    >`select outcome from platform.outcome_queue order by position`;
    t.match(
      told.map(({ outcome }) => JSON.parse(outcome)),
      [
        { type: "qualifying_purchase", qualifying_threshold: 3, revision: 4, purchase_amount: 1000 },
        { type: "deal", amount: 100 },
      ],
    );
    t.strictSame([...(await pairsOf(store)).keys()], [waits]);
    t.strictSame(await faultsOf(store), []);
  },
);

t.test(
  "upgrade - a pair that has earned says nothing a second time, however its outcomes were named",
  async (t) => {
    const { url, store } = await firstRelease(t);
    await addConfiguration(store);
    const id = await addHalves(store, { name: "pair", isPaired: true });
    const outcomes = [
      outcomeId(id, { type: "program", programId: PROGRAM }),
      outcomeId(id, { type: "clip", clipId: CLIP }),
    ];
    await store`update platform.records set outcomes = ${outcomes}::uuid[]`;
    await migratePlatform(url);
    const { judge } = await new ConfigurationCache(store).current();
    const kept = await readKeptPurchase(store, id);
    if (kept === undefined || kept === "reverted") throw new Error("it is not kept");
    const newer = [uuidv7(), DEAL] as const;
    const again: PurchaseRecord = {
      ...kept.record,
      state: "cleared",
      clips: new Map([...kept.record.clips, newer]),
    };
    await storeRecords(store, [again], judge);
    await pairHalves(store, "records", [id], judge);
    t.strictSame(await queued(store), []);
  },
);

t.test(
  "upgrade - a purchase that was reverted before gives its payment back, which finds another one",
  async (t) => {
    const { store, ids, judge } = await upgraded(
      t,
      { name: "again", state: "reverted", isPaired: true },
      { name: "again" },
      { name: "gone", state: "reverted", isPaired: true },
    );
    const [reverted, anew] = ids;
    t.match(await faultsOf(store), []);
    const queuedNow: unknown[] = [];
    const walk = () => walkReleases({ store, judge, onOutcomes: (queued) => queuedNow.push(...queued) });
    while (await walk());
    t.strictSame(await pairsOf(store), new Map([[anew, "again"]]));
    t.equal(queuedNow.length, 1, "its outcome is published immediately");
    t.equal((await queued(store)).length, 2, "a stamp and a cashback");
    const [gone] = await store<{ isOpen: boolean; releasedFrom: string }[]>`
    select is_open as "isOpen", released_from as "releasedFrom" from platform.payments where payment_id = 'gone'`;
    t.strictSame({ ...gone }, { isOpen: true, releasedFrom: ids[2] });
    t.match(await readKeptPurchase(store, reverted), { payment: null, record: { state: "reverted" } });
    t.strictSame(await faultsOf(store), []);

    // A process of the previous version, which was still running.
    await store`update platform.release_walks set not_before = now()`;
    await store`update platform.records set state = 'reverted', is_open = false where transaction_id = ${anew}`;
    while (await walk());
    t.strictSame(await pairsOf(store), new Map());
    t.strictSame(await store`select from platform.release_walks`, []);
    t.strictSame(await faultsOf(store), []);
  },
);

t.test(
  "upgrade - a step that a crash interrupted is repeated, and pairs the released payments",
  async (t) => {
    const { store, ids, judge } = await upgraded(
      t,
      { name: "again", state: "reverted", isPaired: true },
      { name: "again" },
    );
    const onOutcomes = () => {};
    const dying = async () => {
      throw new Error("killed");
    };
    await t.rejects(walkReleases({ store, judge: dying, onOutcomes }), { message: "killed" });
    t.match((await pairsOf(store)).size, 0);
    while (await walkReleases({ store, judge, onOutcomes }));
    t.strictSame([...(await pairsOf(store)).keys()], [ids[1]]);
  },
);

t.test("upgrade - a new database has nothing to walk over", async (t) => {
  const url = await (await testServers()).emptyDatabaseUrl();
  await migratePlatform(url);
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  t.strictSame(await store`select from platform.release_walks`, []);
});
