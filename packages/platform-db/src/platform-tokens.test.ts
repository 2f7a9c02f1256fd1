import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { closeStore, connectStore, migrationState, type Store } from "#postgres";
import { testServers, testStore } from "#test-support";
import { readPlatformCursorKey } from "../../../services/platform/src/configuration/configuration.ts";
import {
  createRetailer,
  getRetailer,
  listRetailers,
  replaceRetailer,
} from "../../../services/platform/src/retailers/retailer-rows.ts";
import { migratePlatform, PLATFORM_SCHEMA } from "./migrate-platform.ts";
import { createPlatformToken, ensureFirstPlatformToken } from "./platform-tokens.ts";
import { findTokenOwner, rotateRetailerToken } from "./token-owner.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const newRetailer = () => ({
  id: uuidv7(),
  name: "Shop",
  merchantIds: [uuidv7()],
  statementDescriptors: ["S"],
});

t.test(
  "tokens - the first one is made once, however many processes ask for it at the same time",
  async (t) => {
    let made = 0;
    const newSecret = () => ({ secret: `secret ${++made}`, hash: randomBytes(32) });
    const ask = () => ensureFirstPlatformToken(store, { id: uuidv7(), description: "first", newSecret });
    const secrets = await Promise.all([ask(), ask(), ask()]);
    t.strictSame(
      secrets.filter((secret) => secret !== undefined),
      ["secret 1"],
    );
    t.equal(made, 1);
  },
);

t.test("tokens - one that could not be kept is not made", async (t) => {
  await store`delete from platform.tokens`;
  const newSecret = () => {
    throw new Error("the disk is full");
  };
  await t.rejects(ensureFirstPlatformToken(store, { id: uuidv7(), description: "first", newSecret }), {
    message: "the disk is full",
  });
  t.strictSame(await store`select from platform.tokens`, []);
});

t.test("tokens - are found by their hash, as the platform's or a retailer's", async (t) => {
  const [id, secretHash, tokenHash] = [uuidv7(), randomBytes(32), randomBytes(32)];
  await createPlatformToken(store, { id, description: "test", secretHash });
  const retailer = newRetailer();
  await createRetailer(store, { ...retailer, tokenHash });
  await replaceRetailer(store, { ...retailer, name: "other" });
  t.strictSame(await findTokenOwner(store, secretHash), { kind: "platform", id });
  t.strictSame(await findTokenOwner(store, tokenHash), { kind: "retailer", id: retailer.id });
  t.equal(await findTokenOwner(store, randomBytes(32)), undefined);
});

t.test("tokens - a retailer's previous one counts until its time is over, and no longer", async (t) => {
  const retailer = newRetailer();
  const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  await createRetailer(store, { ...retailer, tokenHash: first });
  const { id } = retailer;
  const rotated = await rotateRetailerToken(store, { id, tokenHash: second, overlapSeconds: 60 });
  t.ok(rotated?.previousUntil && rotated.previousUntil.getTime() > Date.now() + 30_000);
  for (const hash of [first, second])
    t.strictSame(await findTokenOwner(store, hash), { kind: "retailer", id });
  await rotateRetailerToken(store, { id, tokenHash: third, overlapSeconds: 60 });
  t.equal(await findTokenOwner(store, first), undefined, "two at most");
  await store`update platform.retailers set previous_token_until = now() where id = ${id}`;
  t.equal(await findTokenOwner(store, second), undefined);
  t.strictSame(await findTokenOwner(store, third), { kind: "retailer", id });
  t.equal(await rotateRetailerToken(store, { id: uuidv7(), tokenHash: first, overlapSeconds: 0 }), undefined);
});

t.test("tokens - a value that is not a hash is refused", async (t) => {
  const token = { id: uuidv7(), description: "test", secretHash: Buffer.from("stp_live_secret") };
  await t.rejects(createPlatformToken(store, token), { code: "23514" });
  await t.rejects(createRetailer(store, { ...newRetailer(), tokenHash: randomBytes(31) }), { code: "23514" });
});

t.test("retailers - are read back, replaced and listed, and nothing tells their token", async (t) => {
  await store`delete from platform.retailers`;
  const retailers = [newRetailer(), newRetailer(), newRetailer()] as const;
  for (const retailer of retailers) await createRetailer(store, { ...retailer, tokenHash: randomBytes(32) });
  const changed = { ...retailers[1], name: "other", merchantIds: ["M-2", "M-3"], statementDescriptors: [] };
  t.match(await replaceRetailer(store, changed), changed);
  t.strictSame(Object.keys((await getRetailer(store, changed.id)) as object).sort(), [
    "createdAt",
    "id",
    "merchantIds",
    "name",
    "statementDescriptors",
    "updatedAt",
  ]);
  const first = await listRetailers(store, { limit: 2 });
  t.match(first, { records: [retailers[0], changed], more: true });
  t.match(await listRetailers(store, { limit: 2, after: changed.id }), {
    records: [retailers[2]],
    more: false,
  });
  t.equal(await replaceRetailer(store, newRetailer()), undefined);
  t.equal(await getRetailer(store, uuidv7()), undefined);
});

t.test("migrations - everything is in the schema of the platform", async (t) => {
  const url = await (await testServers()).emptyDatabaseUrl();
  const empty = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(empty));
  t.strictSame((await migrationState(empty, PLATFORM_SCHEMA)).pending, [
    "0001_platform",
    "0002_revisions",
    "0003_payments_told",
    "0004_payments_by_time",
    "0005_late_configuration",
    "0006_stream_places",
    "0007_lone_keys",
    "0008_told_times",
  ]);
  await migratePlatform(url);
  t.strictSame((await migrationState(empty, PLATFORM_SCHEMA)).pending, []);
  t.strictSame((await migratePlatform(url, t.fail)).applied, []);
  const elsewhere = await empty`
    select oid::regclass::text as name from pg_class
    where relnamespace::regnamespace::text !~ '^(pg_|information_schema$|platform$)'`;
  t.strictSame([...elsewhere], []);
  t.equal((await readPlatformCursorKey(empty)).length, 32);
});
