import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { type TestMember, testMember, testStore } from "#test-support";
import { listTransactions } from "../transactions/transaction-lists.ts";
import { getTransaction } from "../transactions/transaction-rows.ts";
import { listCashbacks } from "./cashbacks.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const LARGEST = Number.MAX_SAFE_INTEGER;
const CREATED = new Date("2026-03-01T10:00:00.123Z");
const SETTLED = new Date("2026-03-02T10:00:00Z");

async function addTransaction({ organisationId, memberId }: TestMember, externalId: string): Promise<string> {
  const id = uuidv7();
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    values (now(), ${organisationId}, ${id}, ${memberId}, ${externalId}, 'authorized', 'visa', 'm',
            ${randomBytes(32)})`;
  return id;
}

/** Adds a pending cashback of a clip and a cleared one of a redemption; returns the expected answers. */
async function addCashbacks({ organisationId, memberId }: TestMember, transactionId: string, ref: string) {
  const [ofClip, ofCard, clipId, dealId, loyaltyProgramId, stampCollectionId, redemptionId] = Array.from(
    { length: 7 },
    () => uuidv7(),
  ) as [string, string, string, string, string, string, string];
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, created_at, member_id, clip_id, deal_id,
                           transaction_ref, state, currency)
    values (${ofClip}, ${organisationId}, ${transactionId}, ${LARGEST}, ${CREATED}, ${memberId}, ${clipId}, ${dealId},
            ${ref}, 'pending', 'EUR')`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, created_at, cleared_at, member_id,
                           loyalty_program_id, stamp_collection_id, redemption_id, transaction_ref, state, currency)
    values (${ofCard}, ${organisationId}, ${transactionId}, 0, ${CREATED}, ${SETTLED}, ${memberId},
            ${loyaltyProgramId}, ${stampCollectionId}, ${redemptionId}, ${ref}, 'cleared', 'SEK')`;
  const both = { transactionId, transactionRef: ref, createdAt: CREATED, revertedAt: null };
  return [
    {
      ...both,
      id: ofClip,
      state: "pending",
      amount: LARGEST,
      currency: "EUR",
      source: { type: "clip", clipId, dealId },
      clearedAt: null,
    },
    {
      ...both,
      id: ofCard,
      state: "cleared",
      amount: 0,
      currency: "SEK",
      source: { type: "redemption", loyaltyProgramId, stampCollectionId, redemptionId },
      clearedAt: SETTLED,
    },
  ];
}

t.test("cashbacks - those of a member are listed by id, with their source and exact amounts", async (t) => {
  const member = await testMember(store);
  const { organisationId, memberId } = member;
  t.strictSame(await listCashbacks(store, organisationId, memberId, { limit: 5 }), {
    records: [],
    more: false,
  });
  const expected = await addCashbacks(member, uuidv7(), "order 1");
  t.same(await listCashbacks(store, organisationId, memberId, { limit: 5 }), {
    records: expected,
    more: false,
  });
  const first = await listCashbacks(store, organisationId, memberId, { limit: 1 });
  t.same(first, { records: expected.slice(0, 1), more: true });
  const rest = await listCashbacks(store, organisationId, memberId, { limit: 1, after: expected[0]?.id });
  t.same(rest, { records: expected.slice(1), more: false });
});

t.test("cashbacks - of a member that is not there, or not reachable, there is no list", async (t) => {
  const [mine, theirs] = [await testMember(store), await testMember(store)];
  await addCashbacks(theirs, uuidv7(), "order 1");
  t.equal(await listCashbacks(store, mine.organisationId, theirs.memberId, { limit: 5 }), undefined);
  t.equal(await listCashbacks(store, mine.organisationId, uuidv7(), { limit: 5 }), undefined);
  await store`update memberbases set deleted_at = now() where id = ${theirs.memberbaseId}`;
  t.equal(await listCashbacks(store, theirs.organisationId, theirs.memberId, { limit: 5 }), undefined);
});

t.test("transaction - it shows its earnings, and none of another one", async (t) => {
  const member = await testMember(store);
  const { organisationId, memberId } = member;
  const earning = await addTransaction(member, "earning");
  await addTransaction(member, "plain");
  const expected = await addCashbacks(member, earning, "earning");
  t.same((await getTransaction(store, organisationId, "earning"))?.rewards, expected);
  t.strictSame((await getTransaction(store, organisationId, "plain"))?.rewards, []);
  const page = await listTransactions(store, { organisationId, memberId }, { limit: 5 });
  t.same(
    page?.records.map(({ rewards }) => rewards),
    [[], expected],
  );
});

t.test("transaction - its earnings are looked up in an index", async (t) => {
  const member = await testMember(store);
  const transactionId = await addTransaction(member, "indexed");
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, clip_id, deal_id, transaction_ref, state, currency)
    select gen_random_uuid(), ${member.organisationId}, gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), 'x',
           'pending', 'EUR'
    from generate_series(1, 5000)`;
  await store`analyze cashbacks`;
  const plan =
    await store`explain select json_agg(c) from cashbacks c where transaction_id = ${transactionId}`;
  t.match(JSON.stringify(plan), "cashbacks_transaction_idx");
});
