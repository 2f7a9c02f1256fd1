import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { explaining, type TestMember, testMember, testProgram, testStore } from "#test-support";
import { listRedemptions } from "./redemptions.ts";
import { createStampCollection } from "./stamp-collections.ts";
import { listStamps, writeStamp } from "./stamps.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

interface Card extends TestMember {
  readonly collectionId: string;
  readonly programId: string;
}

async function testCard(member?: TestMember): Promise<Card> {
  const owner = member ?? (await testMember(store));
  const programId = await testProgram(store);
  const collectionId = uuidv7();
  await createStampCollection(store, { id: collectionId, ...owner, loyaltyProgramId: programId });
  return { ...owner, collectionId, programId };
}

const MADE = "2026-03-01T10:00:00.123Z";

/** Adds a stamp at the next position; adds its transaction, too, if `kept`. */
async function addStamp(
  card: Card,
  ref: string,
  {
    kept = true,
    redemption = null,
    voided = false,
  }: { kept?: boolean; redemption?: string | null; voided?: boolean } = {},
): Promise<string> {
  const { organisationId, memberId, collectionId } = card;
  const [id, transactionId] = [uuidv7(), uuidv7()];
  if (kept) {
    await store`
      insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                                identifier_6)
      values (${MADE}::text::timestamptz, ${organisationId}, ${transactionId}, ${memberId}, ${ref}, 'authorized', 'visa',
              'm', ${randomBytes(32)})`;
  }
  await store`
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      transaction_ref, redemption_id, voided_at, purchase_amount, currency)
    select count(*) + 1, ${MADE}::text::timestamptz, ${id}, ${organisationId}, ${collectionId}, ${transactionId}, ${ref},
           ${redemption}, ${voided ? MADE : null}::text::timestamptz, 450, 'EUR'
    from qualifying_purchases where stamp_collection_id = ${collectionId}`;
  return id;
}

/** Adds a redemption of these stamps, with its cashback. */
async function addRedemption(
  { organisationId, memberId, collectionId, programId }: Card,
  stampIds: readonly string[],
  { id = uuidv7(), undone = false }: { id?: string; undone?: boolean } = {},
): Promise<string> {
  const transactionId = uuidv7();
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, undone_at, stamp_ids)
    values (${MADE}::text::timestamptz, ${id}, ${organisationId}, ${collectionId}, ${transactionId},
            ${undone ? MADE : null}::text::timestamptz, ${stampIds}::uuid[])`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency, reverted_at)
    values (${uuidv7()}, ${organisationId}, ${transactionId}, 300, ${memberId}, ${programId}, ${collectionId}, ${id},
            'newest', ${undone ? "reverted" : "pending"}, 'EUR', ${undone ? MADE : null}::text::timestamptz)`;
  return id;
}

t.test("stamps - live, redeemed and voided ones by their place, with their transactions", async (t) => {
  const card = await testCard();
  const redemption = uuidv7();
  await addStamp(card, "a", { redemption });
  await addStamp(card, "b", { redemption, voided: true });
  await addStamp(card, "c", { voided: true });
  await addStamp(card, "d");
  await addStamp(card, "e", { kept: false });
  const page = await listStamps(store, card.organisationId, card.collectionId, { limit: 10 });
  const records = page?.records ?? [];
  t.strictSame(
    records.map((stamp) => `${stamp.transactionRef} ${writeStamp(stamp).state}`),
    ["a redeemed", "b voided", "c voided", "d live", "e live"],
  );
  t.strictSame(
    records.map(({ transaction }) => transaction?.externalId),
    ["a", "b", "c", "d", undefined],
    "one that is not kept any more is left out",
  );
  const [first, second] = records.map(writeStamp);
  t.match(first, {
    id: /^qp_/,
    purchase_amount: 450,
    currency: "EUR",
    created_at: MADE,
    redemption_id: /^red_/,
  });
  t.notOk(first && "voided_at" in first);
  t.match(
    second,
    { voided_at: MADE, redemption_id: first?.redemption_id },
    "its former redemption is still named",
  );
});

t.test("stamps - pages meet each once, while others are added", async (t) => {
  const card = await testCard();
  const refs = Array.from({ length: 9 }, (_, n) => `tx ${n}`);
  for (const ref of refs) await addStamp(card, ref);
  for (const limit of [1, 4, 9]) {
    const seen: string[] = [];
    let after: string | undefined;
    let more = true;
    while (more) {
      const page = await listStamps(store, card.organisationId, card.collectionId, { limit, after });
      seen.push(...(page?.records ?? []).map(({ transactionRef }) => transactionRef));
      more = page?.more === true && seen.length < 100;
      const last = page?.records.at(-1);
      after = last && page?.placeOf(last);
      if (seen.length < refs.length) await addStamp(card, `new ${limit} ${seen.length}`);
    }
    t.strictSame(
      seen.filter((ref) => ref.startsWith("tx")),
      refs,
      `in pages of ${limit}`,
    );
    t.equal(new Set(seen).size, seen.length, "none twice");
  }
  const skipped = await listStamps(store, card.organisationId, card.collectionId, { limit: 2, skip: 3 });
  t.match(skipped?.records, [{ transactionRef: "tx 3" }, { transactionRef: "tx 4" }]);
});

t.test(
  "stamps and redemptions - there is no list for an unknown record or another organisation's",
  async (t) => {
    const [mine, theirs] = [await testCard(), await testCard()];
    await addRedemption(theirs, [await addStamp(theirs, "a")]);
    t.equal(await listStamps(store, mine.organisationId, theirs.collectionId, { limit: 5 }), undefined);
    t.equal(await listStamps(store, mine.organisationId, uuidv7(), { limit: 5 }), undefined);
    t.equal(await listRedemptions(store, mine.organisationId, theirs.memberId, { limit: 5 }), undefined);
    t.strictSame(await listRedemptions(store, mine.organisationId, mine.memberId, { limit: 5 }), {
      records: [],
      more: false,
    });
    await store`update memberbases set deleted_at = now() where id = ${theirs.memberbaseId}`;
    t.equal(await listStamps(store, theirs.organisationId, theirs.collectionId, { limit: 5 }), undefined);
    t.equal(await listRedemptions(store, theirs.organisationId, theirs.memberId, { limit: 5 }), undefined);
  },
);

t.test(
  "redemptions - those of all cards of a member, oldest first, with their stamps and cashbacks",
  async (t) => {
    const coffee = await testCard();
    const tea = await testCard(coffee);
    const [kept, undone] = [uuidv7(), uuidv7()];
    const taken = [
      await addStamp(coffee, "a", { redemption: kept }),
      await addStamp(coffee, "b", { redemption: kept }),
    ];
    const freed = [await addStamp(tea, "c"), await addStamp(tea, "d", { redemption: undone, voided: true })];
    await addRedemption(coffee, taken, { id: kept });
    await addRedemption(tea, freed, { id: undone, undone: true });
    const last = await addRedemption(coffee, []);
    const { organisationId, memberId } = coffee;
    const list = async (page: { limit: number; after?: string; skip?: number }) => {
      const found = await listRedemptions(store, organisationId, memberId, page);
      return { ids: found?.records.map(({ id }) => id), more: found?.more };
    };
    const { records = [] } = (await listRedemptions(store, organisationId, memberId, { limit: 5 })) ?? {};
    t.match(records, [
      {
        id: kept,
        undoneAt: null,
        stampsTotal: 2,
        loyaltyProgramId: coffee.programId,
        cashback: { state: "pending" },
      },
      {
        id: undone,
        undoneAt: Date,
        stampsTotal: 2,
        loyaltyProgramId: tea.programId,
        cashback: { state: "reverted" },
      },
      { id: last, stampsTotal: 0 },
    ]);
    t.strictSame(
      records.map(({ stamps }) =>
        stamps.map((stamp) => `${stamp.transactionRef} ${writeStamp(stamp).state}`),
      ),
      [["a redeemed", "b redeemed"], ["c live", "d voided"], []],
    );
    t.strictSame(await list({ limit: 2 }), { ids: [kept, undone], more: true });
    t.strictSame(await list({ limit: 2, after: undone }), { ids: [last], more: false });
    t.strictSame(await list({ limit: 1, skip: 1 }), { ids: [undone], more: true });
    t.strictSame(await list({ limit: 3 }), { ids: [kept, undone, last], more: false });
  },
);

t.test("redemptions - a page is bounded by stamps, and the walk continues after it", async (t) => {
  const card = await testCard();
  const { organisationId, memberId } = card;
  const unknown = (count: number) => Array.from({ length: count }, () => uuidv7());
  const shown = await addStamp(card, "a");
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    ids.push(await addRedemption(card, [shown, ...unknown(LIMITS.stampsPerRedemption + 5)]));
  }
  const first = await listRedemptions(store, organisationId, memberId, { limit: 100 });
  const fitting = LIMITS.stampsPerPage / LIMITS.stampsPerRedemption;
  t.strictSame(
    first?.records.map(({ id }) => id),
    ids.slice(0, fitting),
  );
  t.equal(first?.more, true);
  t.match(first?.records[0], { stampsTotal: LIMITS.stampsPerRedemption + 6, stamps: [{ id: shown }] });
  const second = await listRedemptions(store, organisationId, memberId, {
    limit: 100,
    after: ids[fitting - 1] as string,
  });
  t.strictSame(
    second?.records.map(({ id }) => id),
    ids.slice(fitting),
  );
  t.equal(second?.more, false);
});

t.test("plan - stamps and redemptions are found by index among those of many cards", async (t) => {
  const card = await testCard();
  await addRedemption(card, [await addStamp(card, "a"), await addStamp(card, "b")]);
  await store.script(`
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      transaction_ref)
    select n % 20, now(), gen_random_uuid(), '${card.organisationId}', md5((n / 20)::text)::uuid, gen_random_uuid(), 'x'
    from generate_series(1, 40000) as n`);
  await store.script(`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select now(), gen_random_uuid(), '${card.organisationId}', md5((n / 20)::text)::uuid, gen_random_uuid(), '{}'
    from generate_series(1, 20000) as n`);
  await store.script(`
    insert into cashbacks (id, organisation_id, transaction_id, amount, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency)
    select gen_random_uuid(), organisation_id, transaction_id, 1, id, stamp_collection_id, id, 'x', 'pending', 'EUR'
    from redemptions r where not exists (select from cashbacks c where c.redemption_id = r.id)`);
  for (const table of ["qualifying_purchases", "redemptions", "cashbacks"])
    await store.script(`vacuum analyze ${table}`);
  const plans: string[] = [];
  const sql = explaining(store, plans);
  const { organisationId, collectionId, memberId } = card;
  t.equal((await listStamps(sql, organisationId, collectionId, { limit: 100 }))?.records.length, 2);
  t.equal(
    (await listRedemptions(sql, organisationId, memberId, { limit: 100 }))?.records[0]?.stamps.length,
    2,
  );
  // The transactions of stamps are looked up as in all lists (`lookup-plan.test`).
  const about = plans.filter(
    (plan) =>
      /on (qualifying_purchases|redemptions|cashbacks)/.test(plan) && !plan.includes("on transactions"),
  );
  t.equal(about.length, 3);
  for (const plan of about) t.notMatch(plan, /Seq Scan on (qualifying_purchases|redemptions|cashbacks)/);
  for (const index of [
    "qualifying_purchases_position_key",
    "redemptions_created_idx",
    "cashbacks_redemption_key",
  ]) {
    t.ok(
      about.some((plan) => plan.includes(index)),
      index,
    );
  }
});
