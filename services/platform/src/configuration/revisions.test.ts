import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { dealFields, programFields, testStore, waitForLocks } from "#test-support";
import {
  createRetailer,
  deleteRetailer,
  replaceRetailer,
  type StoredRetailer,
} from "../retailers/retailer-rows.ts";
import { dealTable, toDealConfig } from "./deals.ts";
import { programTable, toProgramConfig } from "./programs.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

t.test("program - is read back as it was said, and a replacement replaces all of it", async (t) => {
  const program = programFields();
  const created = await programTable.create(store, program);
  t.match(created, { ...program, revision: 1, deletedAt: null });
  t.strictSame(await programTable.get(store, program.id), created);
  const other = programFields({
    id: program.id,
    rewardConfig: { type: "fixed-reward", amount: 500 },
    displayContent: { ...program.displayContent, logo: "l", reward: { formatted: "5 €" } },
    rules: { merchant_ids: ["M-2"], confirmation: "none", currency: "EUR" },
  });
  const replaced = await programTable.replace(store, other);
  t.match(replaced, { ...other, revision: 2, createdAt: created.createdAt });
  t.strictSame(await programTable.get(store, program.id), replaced);
});

t.test("deal - is read back as it was said, its times to the microsecond", async (t) => {
  const deal = dealFields({ startsAt: "2026-01-01T00:00:00.000001Z", endsAt: "2026-02-01T00:00:00.999999Z" });
  t.match(await dealTable.create(store, deal), { ...deal, revision: 1 });
  const open = dealFields({ id: deal.id });
  t.match(await dealTable.replace(store, open), { ...open, revision: 2 });
  t.match(await dealTable.get(store, deal.id), open);
});

t.test(
  "deleted records - are not listed or found any more, but stay so that their removal is published",
  async (t) => {
    const [program, deal] = [programFields(), dealFields()];
    await programTable.create(store, program);
    await dealTable.create(store, deal);
    t.match(await programTable.delete(store, program.id), {
      name: program.name,
      deletedAt: Date,
      revision: 2,
    });
    t.match(await dealTable.delete(store, deal.id), { name: deal.name, deletedAt: Date, revision: 2 });
    t.equal(await programTable.get(store, program.id), undefined);
    t.equal(await dealTable.get(store, deal.id), undefined);
    const page = { limit: 1000, unpublished: false };
    for (const [{ id }, listed, revisions] of [
      [program, await programTable.list(store, page), await programTable.revisions(store, page)],
      [deal, await dealTable.list(store, page), await dealTable.revisions(store, page)],
    ] as const) {
      t.notOk(listed.records.some((record) => record.id === id));
      t.match(
        revisions.find((record) => record.id === id),
        { deletedAt: Date, revision: 2 },
      );
    }
  },
);

t.test(
  "regression - a change by another process between the look at a record and at the stream was taken for a restore",
  async (t) => {
    const program = programFields();
    const seen = await programTable.create(store, program);
    await programTable.replace(store, program);
    t.notOk(await programTable.passRevision(store, seen, 2), "the other process told its revision 2");
    t.match(await programTable.get(store, program.id), { revision: 2 });
    t.ok(await programTable.passRevision(store, { id: program.id, revision: 2 }, 4), "a restored database");
    t.match(await programTable.get(store, program.id), { revision: 5 });
  },
);

t.test(
  "regression - a removal did not say that a record of before, which a publisher never had, was retroactive",
  async (t) => {
    const [program, deal] = [programFields(), dealFields()];
    await programTable.create(store, program);
    await programTable.replace(store, { ...program, rules: { ...program.rules, retroactive: true } });
    await programTable.delete(store, program.id);
    await dealTable.create(store, deal);
    await dealTable.replace(store, { ...deal, rules: { ...deal.rules, retroactive: true } });
    await dealTable.delete(store, deal.id);
    const page = { limit: 1000, unpublished: false };
    const programs = (await programTable.revisions(store, page)).filter(({ id }) => id === program.id);
    const deals = (await dealTable.revisions(store, page)).filter(({ id }) => id === deal.id);
    for (const message of [...programs.map(toProgramConfig), ...deals.map(toDealConfig)]) {
      t.match(message, {
        record: null,
        retroactive_history: [{ retroactive: false }, { retroactive: true }],
      });
    }
  },
);

t.test("revisions - an unpublished one is found until it is marked, and a newer one again", async (t) => {
  const unpublished = async () => {
    const page = { limit: 1000, unpublished: true };
    const found = [
      ...(await programTable.revisions(store, page)),
      ...(await dealTable.revisions(store, page)),
    ];
    return found.filter(({ id }) => id === program.id || id === deal.id).map(({ revision }) => revision);
  };
  const [program, deal] = [programFields(), dealFields()];
  await programTable.create(store, program);
  await dealTable.create(store, deal);
  t.strictSame(await unpublished(), [1, 1]);
  await programTable.markPublished(store, { id: program.id, revision: 1 });
  t.strictSame(await unpublished(), [1]);
  await dealTable.markPublished(store, { id: deal.id, revision: 1 });
  t.strictSame(await unpublished(), []);
  await programTable.replace(store, program);
  await programTable.replace(store, program);
  await programTable.markPublished(store, { id: program.id, revision: 2 });
  t.strictSame(await unpublished(), [3], "one that was overtaken marks nothing as done");
  await programTable.markPublished(store, { id: program.id, revision: 3 });
  await programTable.markPublished(store, { id: program.id, revision: 2 });
  t.strictSame(await unpublished(), [], "a late mark takes nothing back");
});

t.test("revisions - a walk in pages meets every record once", async (t) => {
  await store`delete from platform.deals`;
  const deals = Array.from({ length: 5 }, () => dealFields());
  for (const deal of deals) await dealTable.create(store, deal);
  const met: string[] = [];
  for (let after: string | undefined; ; after = met.at(-1)) {
    const page = await dealTable.revisions(store, { limit: 2, after, unpublished: false });
    if (page.length === 0) break;
    met.push(...page.map(({ id }) => id));
  }
  t.strictSame(
    met,
    deals.map(({ id }) => id),
  );
});

t.test(
  "regression - a change that waited for another one said that it was in force before it was",
  async (t) => {
    const retailer = {
      id: uuidv7(),
      name: "Roastery",
      merchantIds: [`M-${uuidv7()}`],
      statementDescriptors: [],
    };
    const waitBehindAnother = async <T>(change: () => Promise<T>) => {
      let changing: Promise<T> | undefined;
      const overAt = await store.begin(async (sql) => {
        await sql`lock table platform.retailers in share row exclusive mode`;
        changing = change();
        await waitForLocks(store);
        const [{ at }] = await sql<[{ at: Date }]>`select clock_timestamp() as at`;
        return at;
      });
      return { changed: await (changing as Promise<T>), overAt };
    };
    const made = await waitBehindAnother(() =>
      createRetailer(store, { ...retailer, tokenHash: randomBytes(32) }),
    );
    t.ok(made.changed.createdAt >= made.overAt, "made");
    const replaced = await waitBehindAnother(() => replaceRetailer(store, { ...retailer, name: "Bakery" }));
    t.ok((replaced.changed as StoredRetailer).updatedAt >= replaced.overAt, "replaced");
    const deleted = await waitBehindAnother(() => deleteRetailer(store, retailer.id));
    t.ok((deleted.changed as { deletedAt: Date }).deletedAt >= deleted.overAt, "deleted");
  },
);

t.test(
  "regression - a revision began after the time in the answer, and a purchase in between was judged by the old revision",
  async (t) => {
    const told: [string, Date][] = [];
    const [program, deal] = [programFields(), dealFields()];
    const retailer = { id: uuidv7(), name: "Roastery", merchantIds: [uuidv7()], statementDescriptors: [] };
    const programs = [
      await programTable.create(store, program),
      await programTable.replace(store, { ...program, qualifyingThreshold: 9 }),
    ];
    for (const one of programs) told.push([program.id, one?.updatedAt as Date]);
    told.push([program.id, (await programTable.delete(store, program.id))?.deletedAt as Date]);
    told.push([deal.id, (await dealTable.create(store, deal)).updatedAt]);
    const replacedDeal = { ...dealFields({ endsAt: "2026-02-01T00:00:00Z" }), id: deal.id };
    told.push([deal.id, (await dealTable.replace(store, replacedDeal))?.updatedAt as Date]);
    told.push([deal.id, (await dealTable.delete(store, deal.id))?.deletedAt as Date]);
    const made = await createRetailer(store, { ...retailer, tokenHash: randomBytes(32) });
    const replaced = await replaceRetailer(store, { ...retailer, merchantIds: [uuidv7()] });
    const deleted = await deleteRetailer(store, retailer.id);
    for (const at of [made.updatedAt, replaced?.updatedAt, deleted?.deletedAt]) {
      told.push([retailer.id, at as Date]);
    }
    for (const [id, at] of told) {
      const rows = await store`
        select from platform.revisions
        where id = ${id} and since = ${at.toISOString()}::text::timestamptz`;
      t.equal(rows.length, 1, `of ${at.toISOString()}`);
    }
  },
);
