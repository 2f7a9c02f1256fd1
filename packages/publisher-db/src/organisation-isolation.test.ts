import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testOrganisation, testStore } from "#test-support";
import { listTokens, revokeToken } from "../../../services/edge/src/auth/api-tokens.ts";
import { getMember } from "../../../services/edge/src/members/member-rows.ts";
import {
  createMemberbase,
  getMemberbase,
  listMemberbases,
} from "../../../services/edge/src/members/memberbases.ts";
import { upsertMembers } from "../../../services/edge/src/members/upsert-members.ts";
import { getTransaction } from "../../../services/edge/src/transactions/transaction-rows.ts";
import { createToken, findTokenByHash } from "./api-tokens.ts";

/** One organisation with one record of every kind; names and refs are the same in each organisation. */
async function populate(store: Store) {
  const organisationId = await testOrganisation(store);
  const hash = randomBytes(32);
  const token = await createToken(store, {
    id: uuidv7(),
    organisationId,
    access: "write",
    description: "same",
    secretHash: hash,
  });
  const memberbase = await createMemberbase(store, { id: uuidv7(), organisationId, name: "same" });
  const ids = await upsertMembers(store, {
    organisationId,
    memberbaseId: memberbase.id,
    members: [{ ref: "same", attributes: { of: organisationId } }],
    ids: [uuidv7()],
  });
  const memberId = ids?.[0] as string;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    values (now(), ${organisationId}, ${uuidv7()}, ${memberId}, 'same', 'authorized', 'visa', 'm',
            ${randomBytes(32)})`;
  return { organisationId, hash, token, memberbase, memberId };
}

t.test("isolation - no operation reads or changes another organisation's records", async (t) => {
  const store = await testStore();
  const mine = await populate(store);
  const theirs = await populate(store);
  const page = { limit: 10 };

  t.equal((await findTokenByHash(store, theirs.hash))?.organisationId, theirs.organisationId);
  t.strictSame((await listTokens(store, mine.organisationId, page)).records, [mine.token]);
  t.strictSame(
    (await listTokens(store, mine.organisationId, { ...page, after: theirs.token.id })).records,
    [],
  );
  t.equal(await revokeToken(store, mine.organisationId, theirs.token.id), undefined);
  t.equal((await findTokenByHash(store, theirs.hash))?.revokedAt, null);

  t.equal(await getMemberbase(store, mine.organisationId, theirs.memberbase.id), undefined);
  t.match(await listMemberbases(store, mine.organisationId, page), { records: [mine.memberbase], total: 1 });
  t.equal((await listMemberbases(store, mine.organisationId, page)).records.length, 1);

  const byRef = { memberbaseId: theirs.memberbase.id, ref: "same" };
  t.equal(await getMember(store, mine.organisationId, byRef), undefined);
  t.equal(await getMember(store, mine.organisationId, { id: theirs.memberId }), undefined);
  const request = { members: [{ ref: "same", attributes: { of: "me" } }], ids: [uuidv7()] };
  const { organisationId } = mine;
  t.equal(
    await upsertMembers(store, { organisationId, memberbaseId: theirs.memberbase.id, ...request }),
    undefined,
  );
  t.strictSame((await getMember(store, theirs.organisationId, byRef))?.attributes, {
    of: theirs.organisationId,
  });

  t.equal((await getTransaction(store, mine.organisationId, "same"))?.memberId, mine.memberId);
  t.equal((await getTransaction(store, theirs.organisationId, "same"))?.memberId, theirs.memberId);
});

t.test(
  "isolation - a member in another organisation's memberbase is refused by the schema itself",
  async (t) => {
    const store = await testStore();
    const mine = await populate(store);
    const theirs = await populate(store);
    await t.rejects(
      store`
      insert into members (id, organisation_id, memberbase_id, ref)
      values (${uuidv7()}, ${mine.organisationId}, ${theirs.memberbase.id}, 'x')`.then(),
      { code: "23503", constraint_name: "members_memberbase_fkey" },
    );
  },
);
