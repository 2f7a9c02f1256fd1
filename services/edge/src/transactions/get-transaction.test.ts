import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { testMemberbase, testStore } from "#test-support";
import { getTransaction } from "./transaction-rows.ts";

t.test("transaction get - look-ups that share a statement get each its own, or nothing", async (t) => {
  const store = await testStore();
  const [mine, theirs] = [await testMemberbase(store), await testMemberbase(store)];
  // Both organisations have these names, and the second has one more.
  const names = Array.from({ length: 60 }, (_, i) => `tx "${i}", {\\}`);
  const insert = (organisationId: string, given: string[], ids: string[]) => store`
    insert into transactions (authed_at, organisation_id, id, external_id, state, network, merchant_id,
                              identifier_6)
    select now(), ${organisationId}, given.id, given.name, 'authorized', 'visa', 'm', ${randomBytes(32)}
    from unnest(${given}::text[], ${ids}::uuid[]) as given (name, id)`;
  const myIds = names.map(() => uuidv7());
  const theirIds = names.map(() => uuidv7());
  await insert(mine.organisationId, names, myIds);
  await insert(theirs.organisationId, [...names, "theirs alone"], [...theirIds, uuidv7()]);
  const asked = [
    ...names.map((name, i) => [mine.organisationId, name, myIds[i]] as const),
    [mine.organisationId, "theirs alone", undefined] as const,
    [mine.organisationId, "unknown", undefined] as const,
    ...names.map((name, i) => [theirs.organisationId, name, theirIds[i]] as const),
  ];
  const answers = await Promise.all(
    asked.map(([organisation, name]) => getTransaction(store, organisation, name)),
  );
  t.strictSame(
    answers.map((transaction) => transaction?.id),
    asked.map(([, , id]) => id),
  );
  for (const [i, transaction] of answers.entries()) {
    if (transaction !== undefined) t.equal(transaction.externalId, asked[i]?.[1]);
  }
});
