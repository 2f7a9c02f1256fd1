import { randomBytes } from "node:crypto";
import t from "tap";
import { testOrganisation, testStore, waitForLocks } from "#test-support";
import { resealKeptAnswers } from "./sealed-rows.ts";

const DAY_MS = 86_400_000;

t.test("reseal - an answer that is replaced meanwhile keeps its new content", async (t) => {
  const store = await testStore();
  const organisationId = await testOrganisation(store);
  await store`
    insert into idempotency_keys (organisation_id, route, key, request_hash, status, key_id, answer)
    values (${organisationId}, 'r', 'k', ${randomBytes(32)}, 200, 'old', ${Buffer.from("first")})`;
  const newer = { keyId: "new", bytes: Buffer.from("first, under the new key") };
  const walk = await store.begin(async (sql) => {
    await sql`select from idempotency_keys for update`;
    const walking = resealKeptAnswers(store, "new", DAY_MS, () => newer);
    await waitForLocks(store);
    await sql`update idempotency_keys set answer = ${Buffer.from("second")}`;
    return { walking };
  });
  t.strictSame(await walk.walking, { resealed: 0, unreadable: 0 });
  const [row] =
    await store`select key_id as "keyId", convert_from(answer, 'UTF8') as answer from idempotency_keys`;
  t.strictSame(row, { keyId: "old", answer: "second" });
});
