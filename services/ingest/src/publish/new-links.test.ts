import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { transactionId } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { loadMemberLinks } from "#publisher-db";
import { explaining, type TestMember, testDeal, testMember, testServers } from "#test-support";
import { areOver } from "../open-writers.ts";
import { findNewlyLinked, noteNewLinks, takeNewLinks } from "./new-links.ts";

let store: Store;
let url: string;

t.before(async () => {
  url = await (await testServers()).databaseUrl();
  store = connectStore({ url, max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
});

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

/** Stores purchases of a member, each this many milliseconds old. Returns their ids. */
async function buys({ organisationId, memberId }: TestMember, ages: readonly number[], state = "authorized") {
  const now = Date.now();
  const rows = ages.map((age, i) => {
    const ref = `${memberId} ${state} ${i}`;
    return { ref, id: transactionId("key", organisationId, ref, now - age), at: now - age };
  });
  await store`
    insert into transactions (authed_at, reverted_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    select to_timestamp(at / 1000.0), case when ${state} = 'reverted' then now() end, ${organisationId}, id, ${memberId}, ref,
           ${state}, 'visa', 'M', sha256('x')
    from unnest(
      ${rows.map(({ ref }) => ref)}::text[], ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at)}::float8[]
    ) as row (ref, id, at)`;
  return rows.map(({ id }) => id);
}

/** A clip that was made now and is not published yet. */
async function saves({ organisationId, memberId }: TestMember, retroactive: boolean): Promise<string> {
  const [id, deal] = [uuidv7(), await testDeal(store, { retroactive })];
  await store`
    insert into clips (id, organisation_id, member_id, deal_id) values (${id}, ${organisationId}, ${memberId}, ${deal})`;
  await store`
    insert into new_links (id, made_at, member_id, deal_id)
    select id, created_at, member_id, deal_id from clips where id = ${id}`;
  return id;
}

/** The purchases that relinking finds for these links. */
async function looksFor(ids: readonly string[], limit = 100): Promise<string[]> {
  const members = await store.begin(async (sql) => (await takeNewLinks(sql, ids)).members);
  return (await findNewlyLinked(store, members, limit)).map(({ id }) => id);
}

t.test(
  "new links - purchases of the last minute are found, or of thirty days, the newest first",
  async (t) => {
    const [ada, bob] = [await testMember(store), await testMember(store)];
    const ages = [20 * DAY_MS, 10 * SECOND_MS, 31 * DAY_MS, 90 * SECOND_MS, 0];
    const [old, late, , early, now] = await buys(ada, ages);
    await buys(ada, [5 * SECOND_MS], "reverted");
    const [, ofBob] = await buys(bob, ages);
    const [clip, retroactive, other] = [
      await saves(ada, false),
      await saves(ada, true),
      await saves(bob, false),
    ];
    t.strictSame(await looksFor([clip]), [now, late]);
    t.strictSame(await looksFor([clip, retroactive]), [now, late, early, old], "each once");
    const found = await looksFor([clip, other]);
    t.equal(found.indexOf(ofBob as string) % 2, 1, "those of one member together");
    const [{ since } = { since: 0 }] = await store.begin(
      async (sql) => (await takeNewLinks(sql, [retroactive])).members,
    );
    const rest = await findNewlyLinked(store, [{ memberId: ada.memberId, since, before: late }], 1);
    t.strictSame(
      rest.map(({ id }) => id),
      [early],
      "page by page",
    );
  },
);

t.test("regression - links to be published again went before new ones", async (t) => {
  const ada = await testMember(store);
  const [again, late] = [await saves(ada, false), await saves(ada, false)];
  await store`update new_links set is_told_again = true where id = ${again}`;
  const clip = await saves(ada, false);
  const own = new Set([again, late, clip]);
  const { links } = await noteNewLinks(store, 1000);
  const ids = links.map(({ id }) => id);
  t.strictSame(
    ids.filter((id) => own.has(id)),
    [late, clip, again],
  );
  const first = await noteNewLinks(store, ids.length - 1);
  t.strictSame(first.links, links.slice(0, -1), "a full step takes none of them");
  const rest = await noteNewLinks(store, 1000, first.place);
  t.strictSame(rest.links, links.slice(-1), "the next page begins after it");
});

t.test("regression - a new link read all purchases of its member", async (t) => {
  const ada = await testMember(store);
  const ages = Array.from({ length: 20_000 }, (_, i) => DAY_MS + i * SECOND_MS);
  await buys(ada, ages);
  const clip = await saves(ada, false);
  await store.script("vacuum analyze transactions");
  const plans: string[] = [];
  const { members } = await store.begin((sql) => takeNewLinks(sql, [clip]));
  await findNewlyLinked(explaining(store, plans, "counted"), members, 100);
  t.match(plans[0], /Index Scan.* using transactions_member_idx/);
  t.notMatch(plans[0], /Seq Scan|Rows Removed by Filter: \d{2,}/);
});

t.test("regression - a link waited for every transaction of the database, and a sweep's own", async (t) => {
  const held = async (test: Test, applicationName: string) => {
    const other = connectStore({ url, max: 1, applicationName });
    let end = () => {};
    const open = new Promise<void>((resolve) => {
      end = resolve;
    });
    const began = new Promise<void>((resolve, reject) => {
      const over = other.begin(async (sql) => {
        await sql`select 1`;
        resolve();
        await open;
      });
      over.catch(reject);
      test.teardown(async () => {
        end();
        await over;
        await closeStore(other);
      });
    });
    await began;
    return () => end();
  };
  await saves(await testMember(store), false);
  await held(t, "pg_dump");
  await held(t, "stampede-ingest-sweeps");
  const free = await noteNewLinks(store, 10);
  t.equal(await areOver(store, free.writers), true);
  await held(t, "stampede-ingest");
  const noted = await noteNewLinks(store, 10);
  t.equal(await areOver(store, noted.writers), false, "ingest's open transactions are waited for");
});

t.test(
  "regression - a purchase made while a clip's cashback was pending could never redeem it",
  async (t) => {
    const ada = await testMember(store);
    const clip = await saves(ada, false);
    const linked = async () =>
      (await loadMemberLinks(store, [ada.memberId])).get(ada.memberId)?.clips.map(({ id }) => id) ?? [];
    t.strictSame(await linked(), [clip]);
    await store`update clips set redeemed_at = now() where id = ${clip}`;
    await store`
      insert into cashbacks (id, organisation_id, transaction_id, member_id, amount, clip_id, deal_id, transaction_ref, state,
                             currency)
      select ${randomUUID()}, organisation_id, ${randomUUID()}, member_id, 50, id, deal_id, 'ref', 'pending', 'EUR'
      from clips where id = ${clip}`;
    t.strictSame(await linked(), [clip], "it may be open again");
    await store`update cashbacks set state = 'cleared', cleared_at = now() where clip_id = ${clip}`;
    t.strictSame(await linked(), [], "it cannot");
  },
);
