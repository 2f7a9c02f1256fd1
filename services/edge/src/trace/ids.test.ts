import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { type TestMember, testDeal, testMember, testProgram, testStore } from "#test-support";
import { deleteMemberbase } from "../members/memberbases.ts";
import { saveClip } from "../wallet/clips.ts";
import { createStampCollection } from "../wallet/stamp-collections.ts";
import { findNamed, type IdQuery } from "./ids.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

interface Scene extends TestMember {
  readonly collection: string;
  readonly clip: string;
  readonly stamp: string;
  readonly redemption: string;
  readonly cashback: string;
  readonly event: string;
  /** The transaction of the stamp; the cashback of the redemption belongs to it, too. */
  readonly transaction: string;
}

const REF = 'their "own" ref';

/** A member whose one purchase filled a card. */
async function scene(): Promise<Scene> {
  const owner = await testMember(store);
  const { organisationId, memberId } = owner;
  const loyaltyProgramId = await testProgram(store);
  const dealId = await testDeal(store);
  const [collection, clip, stamp, redemption, cashback, event, transaction] = Array.from(
    { length: 7 },
    uuidv7,
  );
  const ids = { collection, clip, stamp, redemption, cashback, event, transaction } as Scene;
  await createStampCollection(store, { id: ids.collection, ...owner, loyaltyProgramId });
  await saveClip(store, { id: ids.clip, ...owner, dealId });
  await store`
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      transaction_ref, redemption_id)
    values (1, now(), ${ids.stamp}, ${organisationId}, ${ids.collection}, ${ids.transaction}, ${REF}, ${ids.redemption})`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    values (now(), ${ids.redemption}, ${organisationId}, ${ids.collection}, ${ids.transaction}, ${[ids.stamp]}::uuid[])`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency)
    values (${ids.cashback}, ${organisationId}, ${ids.transaction}, 300, ${memberId}, ${loyaltyProgramId},
            ${ids.collection}, ${ids.redemption}, ${REF}, 'pending', 'EUR')`;
  await store`
    insert into events (at, id, organisation_id, type, body)
    values (now(), ${ids.event}, ${organisationId}, 'cashback.created', ${JSON.stringify({ transaction_ref: REF })})`;
  return { ...owner, ...ids };
}

const resolve = ({ organisationId }: TestMember, kind: IdQuery["kind"], uuid: string) =>
  findNamed(store, { organisationId, kind, uuid });

t.test("id/resolve - each kind names what it belongs to", async (t) => {
  const it = await scene();
  const purchase = { transactionRef: REF };
  const card = { stampCollectionId: it.collection, memberId: it.memberId };
  const alone = { transactionRef: null, stampCollectionId: null, memberId: null };
  t.match(await resolve(it, "transaction", it.transaction), { ...purchase, memberId: it.memberId });
  t.strictSame(await resolve(it, "qualifying_purchase", it.stamp), { ...purchase, ...card });
  t.strictSame(await resolve(it, "redemption", it.redemption), { ...purchase, ...card });
  t.strictSame(await resolve(it, "cashback", it.cashback), { ...purchase, ...card });
  t.strictSame(await resolve(it, "event", it.event), { ...alone, ...purchase });
  t.strictSame(await resolve(it, "stamp_collection", it.collection), { ...alone, ...card });
  t.strictSame(await resolve(it, "clip", it.clip), { ...alone, memberId: it.memberId });
});

t.test(
  "id/resolve - an id of another kind, an unused one and one of another organisation are unknown",
  async (t) => {
    const it = await scene();
    const other = await testMember(store);
    for (const [kind, id] of [
      ["transaction", it.transaction],
      ["qualifying_purchase", it.stamp],
      ["redemption", it.redemption],
      ["cashback", it.cashback],
      ["event", it.event],
      ["stamp_collection", it.collection],
      ["clip", it.clip],
    ] as const) {
      t.equal(await resolve(other, kind, id), undefined, `${kind} of another organisation`);
      t.equal(await resolve(it, kind, uuidv7()), undefined, `${kind} that does not exist`);
    }
    t.equal(await resolve(it, "clip", it.collection), undefined, "of another kind");
  },
);

t.test("id/resolve - a deleted memberbase's cards are gone, its purchases are not", async (t) => {
  const it = await scene();
  await deleteMemberbase(store, it.organisationId, it.memberbaseId);
  t.equal(await resolve(it, "stamp_collection", it.collection), undefined);
  t.equal(await resolve(it, "clip", it.clip), undefined);
  t.strictSame(await resolve(it, "qualifying_purchase", it.stamp), {
    transactionRef: REF,
    stampCollectionId: null,
    memberId: null,
  });
});
