import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { deleteMembers, verifyRewards } from "#publisher-db";
import { type TestMember, testStore, waitForLocks } from "#test-support";
import {
  contextAt,
  dealOf,
  ingest,
  purchase,
  settle,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
  writeOutcomes,
  writeSettlements,
} from "../../../rewards/src/store/test-batch.ts";
import { forgetMembers } from "./forget-members.ts";
import { RETENTION_TABLES, type Removed, removeSettled } from "./remove-settled.ts";

/** All blocks, and a time after all rows of this file. */
const ALL = { from: 0, to: 1_000_000 };
const LATER = "2100-01-01T00:00:00Z";

let store: Store;

t.before(async () => {
  store = await testStore(6);
});

t.beforeEach(async () => {
  await store`
    truncate organisations, members, stamp_collections, clips, deleted_members, transactions, qualifying_purchases, redemptions, cashbacks, events cascade`;
});

const remove = (before = LATER): Promise<Removed> => store.begin((sql) => removeSettled(sql, ALL, before));

async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of RETENTION_TABLES) {
    const [{ count }] = await store<[{ count: number }]>`select count(*) from ${store(table)}`;
    found[table] = count;
  }
  return found;
}

/**
 * In production events are kept for 30 days and transactions for longer; only here it is the other way round.
 */
async function sound(t: Test): Promise<void> {
  const forget = (before: string | null) =>
    store`update transaction_retention set forgotten_before = ${before}::text::timestamptz`.then();
  await forget(LATER);
  const { faults } = await verifyRewards(store);
  // Otherwise the purchases of the next test would be too old to be accepted.
  await forget(null);
  t.strictSame(
    faults.filter(({ kind }) => !kind.endsWith("_events")),
    [],
  );
}

/** A member with a card of threshold two, a clip, and authorized transactions. */
async function setUp(purchases: number) {
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const card = await testCollection(store, member, await testProgramOf(store, 2, 50));
  const clip = await testClip(store, member);
  const ids = await testTransactions(store, member, purchases);
  let at = 0;
  const outcome = (...batch: Parameters<typeof writeOutcomes>[1]) =>
    store.begin((sql) => writeOutcomes(sql, batch, contextAt(++at)));
  const learn = async (id: string, state: "cleared" | "reverted") => {
    await settle(store, member, id, state);
    await store.begin((sql) => writeSettlements(sql, member.organisationId, [id], contextAt(++at)));
  };
  return { member, card, clip, ids: ids as [string, string, string, string], outcome, learn };
}

t.test(
  "retention - a settled transaction leaves; one that is not, or is younger, stays and is counted",
  async (t) => {
    const { member, ids } = await setUp(4);
    const [open, cleared, reverted, changed] = ids;
    await settle(store, member, cleared, "cleared");
    await settle(store, member, reverted, "reverted");
    await settle(store, member, changed, "cleared");
    await store`update transactions set updated_at = ${LATER}::text::timestamptz where id = ${changed}`;
    t.match(await remove("2026-04-01T10:00:00Z"), { rows: { transactions: 0 }, kept: 0, oldestAt: null });
    t.strictSame(await remove(), {
      rows: { transactions: 2, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 },
      kept: 2,
      oldestAt: new Date("2026-04-01T10:00:00Z"),
    });
    const left = await store<{ id: string }[]>`select id from transactions order by id`;
    t.strictSame(
      left.map(({ id }) => id),
      [open, changed].sort(),
    );
    t.match(await remove(), { rows: { transactions: 0 }, kept: 2 });
  },
);

t.test(
  "retention - an unredeemed stamp, a pending redemption and a pending cashback keep their purchases",
  async (t) => {
    const { ids, card, clip, outcome, learn, member } = await setUp(4);
    await outcome(
      purchase(ids[0], card),
      purchase(ids[1], card),
      purchase(ids[2], card),
      dealOf(ids[3], clip),
    );
    await learn(ids[0], "cleared");
    await learn(ids[2], "cleared");
    // Settled in the database; rewards has not heard of it.
    await settle(store, member, ids[3], "cleared");
    t.match(await remove(), { rows: { transactions: 0 }, kept: 4 });
    await sound(t);
  },
);

t.test(
  "regression - a settled purchase whose outcome waited for room on its card left, and earned nothing",
  async (t) => {
    const { ids, card, member } = await setUp(1);
    await settle(store, member, ids[0], "cleared");
    await store`insert into early_outcomes (transaction_id, target_id, outcome) values (${ids[0]}, ${card}, '{}')`;
    t.match(await remove(), { rows: { transactions: 0 }, kept: 1 });
    await store`delete from early_outcomes`;
    t.match(await remove(), { rows: { transactions: 1 }, kept: 0 });
  },
);

t.test("retention - a redemption leaves whole, with the last of its purchases", async (t) => {
  const { ids, card, outcome, learn } = await setUp(2);
  await outcome(purchase(ids[0], card), purchase(ids[1], card));
  await learn(ids[1], "cleared");
  t.match(await remove(), {
    rows: { transactions: 1, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 },
  });
  t.strictSame(await counts(), { transactions: 1, qualifying_purchases: 2, redemptions: 1, cashbacks: 1 });
  await sound(t);
  await learn(ids[0], "cleared");
  t.match(await remove(), {
    rows: { transactions: 1, qualifying_purchases: 2, redemptions: 1, cashbacks: 1 },
  });
  t.strictSame(await counts(), { transactions: 0, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 });
  await sound(t);
});

t.test("retention - a transaction at rest for too short a time stays", async (t) => {
  const { ids, card, outcome, learn } = await setUp(2);
  await outcome(purchase(ids[0], card), purchase(ids[1], card));
  await learn(ids[0], "cleared");
  await learn(ids[1], "cleared");
  await store`update cashbacks set cleared_at = ${LATER}::text::timestamptz`;
  t.match(await remove(), { rows: { transactions: 0 }, kept: 2 });
});

t.test(
  "retention - an undone redemption keeps the stamps that it had taken until it leaves itself",
  async (t) => {
    const { ids, card, outcome, learn } = await setUp(4);
    await outcome(purchase(ids[0], card), purchase(ids[1], card));
    await learn(ids[0], "reverted");
    // After the undoing, the second purchase waits for a third one.
    t.match(await remove(), {
      rows: { transactions: 1, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 },
    });
    await sound(t);
    await outcome(purchase(ids[2], card));
    await learn(ids[1], "cleared");
    await learn(ids[2], "cleared");
    t.match(await remove(), {
      rows: { transactions: 2, qualifying_purchases: 3, redemptions: 2, cashbacks: 2 },
    });
    await sound(t);
  },
);

t.test(
  "retention - regression: a redemption left before the undone one that shared a stamp, which then named nothing",
  async (t) => {
    const { ids, card, outcome, learn } = await setUp(3);
    await outcome(purchase(ids[0], card), purchase(ids[1], card));
    await learn(ids[0], "reverted");
    // A redemption takes the second purchase again, with the third.
    await outcome(purchase(ids[2], card));
    await learn(ids[1], "cleared");
    await learn(ids[2], "cleared");
    await store.begin(async (sql) => {
      // This lock leaves the first one to the next round, as if it were in another block.
      await sql`select from transactions where id = ${ids[0]} for share`;
      t.match(await remove(), {
        rows: { transactions: 2, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 },
      });
    });
    await sound(t);
    t.match(await remove(), {
      rows: { transactions: 1, qualifying_purchases: 3, redemptions: 2, cashbacks: 2 },
    });
    await sound(t);
  },
);

t.test(
  "retention - a voided stamp and the cashback of a clip leave with their purchase; the clip stays",
  async (t) => {
    const { ids, card, clip, outcome, learn } = await setUp(2);
    await outcome(purchase(ids[0], card), dealOf(ids[1], clip));
    await learn(ids[0], "reverted");
    await learn(ids[1], "cleared");
    t.match(await remove(), {
      rows: { transactions: 2, qualifying_purchases: 1, redemptions: 0, cashbacks: 1 },
    });
    const [kept] = await store<{ redeemed: boolean }[]>`
    select redeemed_at is not null as redeemed from clips where id = ${clip}`;
    t.strictSame(kept, { redeemed: true }, "it can never be redeemed again");
    await sound(t);
  },
);

t.test("retention - rows that outlived a deleted member are removed, too", async (t) => {
  const { ids, card, member, outcome, learn } = await setUp(2);
  await outcome(purchase(ids[0], card), purchase(ids[1], card));
  await learn(ids[1], "cleared");
  // The redemption and its cashback stay for its first purchase.
  await remove();
  t.match(await counts(), { transactions: 1, cashbacks: 1 });
  const { organisationId, memberbaseId, memberId } = member;
  await deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
  await store`update deleted_members set changed_at = now() - interval '62 days', due_at = now()`;
  await store`
    update transactions set updated_at = now() - interval '62 days'
    where id in (select id from transactions where member_id = ${memberId} for update skip locked)`;
  await forgetMembers(store);
  t.match(await counts(), { transactions: 1, cashbacks: 0, redemptions: 0 });
  await sound(t);
});

t.test(
  "retention - an authorization that never settled leaves when its member is deleted, and not before",
  async (t) => {
    const { member } = await setUp(1);
    const { organisationId, memberbaseId, memberId } = member;
    await ingest(store, member, [{ id: uuidv7(), ref: "open" }]);
    const before = (await counts()).transactions;
    t.match(await remove(), { rows: { transactions: 0 } });
    await deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
    const { rows } = await remove();
    t.equal(rows.transactions, before, "its id still stands in the rows");
  },
);

t.test("retention - locked rows are left to the next round, without waiting", async (t) => {
  const { ids, card, member, outcome, learn } = await setUp(4);
  await outcome(purchase(ids[0], card), purchase(ids[1], card));
  for (const id of ids) await settle(store, member, id, "cleared");
  await learn(ids[1], "cleared");
  await store.begin(async (sql) => {
    await sql`select from stamp_collections where id = ${card} for no key update`;
    await sql`select from transactions where id = ${ids[3]} for share`;
    t.match(await remove(), { rows: { transactions: 1 }, kept: 3 });
  });
  t.match(await remove(), {
    rows: { transactions: 3, qualifying_purchases: 2, redemptions: 1, cashbacks: 1 },
  });
});

t.test("retention - a stamp that is made just before the locks is seen", async (t) => {
  const { ids, card, member, outcome } = await setUp(1);
  await settle(store, member, ids[0], "cleared");
  await store.begin(async (sql) => {
    let isMade = false;
    const spied = Object.assign((strings: TemplateStringsArray, ...values: unknown[]) => {
      const send = () => (sql as unknown as (...args: unknown[]) => PromiseLike<unknown>)(strings, ...values);
      if (isMade || !strings.join("?").includes("for update skip locked")) return send();
      isMade = true;
      return outcome(purchase(ids[0], card)).then(send);
    }, sql);
    t.match(await removeSettled(spied as unknown as typeof sql, ALL, LATER), {
      rows: { transactions: 0 },
      kept: 1,
    });
    t.ok(isMade);
  });
  await sound(t);
});

t.test(
  "retention - an outcome that comes meanwhile waits, and is of an unknown transaction then",
  async (t) => {
    const { ids, card, member, outcome } = await setUp(1);
    await settle(store, member, ids[0], "cleared");
    let coming: Promise<unknown> | undefined;
    await store.begin(async (sql) => {
      t.match(await removeSettled(sql, ALL, LATER), { rows: { transactions: 1 } });
      coming = outcome(purchase(ids[0], card));
      await waitForLocks(store);
    });
    await coming;
    t.match(await counts(), { transactions: 0, qualifying_purchases: 0 });
    await sound(t);
  },
);
