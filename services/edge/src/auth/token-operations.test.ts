import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { createToken, findTokenByHash, type Token } from "#publisher-db";
import { testOrganisation, testStore, waitForLocks } from "#test-support";
import { listTokens, revokeToken, touchTokens } from "./api-tokens.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

async function newToken(organisationId: string, expiresAt?: Date): Promise<Token & { hash: Uint8Array }> {
  const hash = randomBytes(32);
  const token = await createToken(store, {
    id: uuidv7(),
    organisationId,
    access: "read",
    description: "till 7",
    secretHash: hash,
    expiresAt,
  });
  return { ...token, hash };
}

async function only(organisationId: string): Promise<Token> {
  const { records } = await listTokens(store, organisationId, { limit: 2 });
  if (records.length !== 1) throw new Error(`${records.length} tokens`);
  return records[0] as Token;
}

t.test(
  "token - a created token is found by its hash, with everything that a request is checked against",
  async (t) => {
    const organisationId = await testOrganisation(store);
    const expiresAt = new Date("2031-02-03T04:05:06.789Z");
    const { id, hash, ...token } = await newToken(organisationId, expiresAt);
    t.match(token, { access: "read", description: "till 7", expiresAt, revokedAt: null, lastUsedAt: null });
    t.strictSame(await findTokenByHash(store, hash), {
      id,
      organisationId,
      access: "read",
      expiresAt,
      revokedAt: null,
    });
    t.equal(await findTokenByHash(store, randomBytes(32)), undefined);
  },
);

t.test("token - neither a duplicate hash nor one of another length is stored", async (t) => {
  const organisationId = await testOrganisation(store);
  const { hash } = await newToken(organisationId);
  const token = { id: uuidv7(), organisationId, access: "read", description: "" } as const;
  await t.rejects(createToken(store, { ...token, secretHash: hash }), { code: "23505" });
  await t.rejects(createToken(store, { ...token, secretHash: randomBytes(31) }), { code: "23514" });
});

t.test("token - revoking again answers with the first time", async (t) => {
  const organisationId = await testOrganisation(store);
  const { id, hash } = await newToken(organisationId);
  const first = await revokeToken(store, organisationId, id);
  t.type(first?.revokedAt, Date);
  t.strictSame(await revokeToken(store, organisationId, id), first);
  t.strictSame((await findTokenByHash(store, hash))?.revokedAt, first?.revokedAt);
  t.strictSame(await only(organisationId), first);
  t.equal(await revokeToken(store, organisationId, uuidv7()), undefined);
});

t.test("token - a walk by id meets every token once, oldest first", async (t) => {
  const organisationId = await testOrganisation(store);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) ids.push((await newToken(organisationId)).id);
  const seen: string[] = [];
  const more: boolean[] = [];
  do {
    const page = await listTokens(store, organisationId, { limit: 2, after: seen.at(-1) });
    seen.push(...page.records.map(({ id }) => id));
    more.push(page.more);
  } while (more.at(-1));
  t.strictSame(seen, ids);
  t.strictSame(more, [true, true, false]);
  const skipped = await listTokens(store, organisationId, { limit: 5, skip: 3 });
  t.strictSame([skipped.records.map(({ id }) => id), skipped.more], [ids.slice(3), false]);
});

t.test("token - last use only moves forward, for many tokens in one call", async (t) => {
  const [a, b] = [await testOrganisation(store), await testOrganisation(store)];
  const [first, second] = [await newToken(a), await newToken(b)];
  const [early, late] = [new Date("2030-01-01T00:00:00.001Z"), new Date("2030-01-01T00:00:00.002Z")];
  await touchTokens(store, new Map());
  await touchTokens(
    store,
    new Map([
      [first.id, late],
      [second.id, early],
      [uuidv7(), late],
    ]),
  );
  await touchTokens(
    store,
    new Map([
      [second.id, late],
      [first.id, early],
    ]),
  );
  t.strictSame((await only(a)).lastUsedAt, late);
  t.strictSame((await only(b)).lastUsedAt, late);
});

t.test("token - processes that report the same tokens at one time do not deadlock", async (t) => {
  const organisationId = await testOrganisation(store);
  const tokens = [
    await newToken(organisationId),
    await newToken(organisationId),
    await newToken(organisationId),
  ];
  const ids = tokens.map(({ id }) => id);
  // Among many others, so that the tokens are looked up one by one, in the order of the report.
  await store`
    insert into api_tokens (id, organisation_id, access, description, secret_hash)
    select gen_random_uuid(), ${organisationId}, 'read', '', sha256(int4send(i)) from generate_series(1, 20000) as i`;
  await store.script("analyze api_tokens");
  const report = (order: string[]) => touchTokens(store, new Map(order.map((id) => [id, new Date()])));
  let reports: Promise<unknown> | undefined;
  await store.begin(async (sql) => {
    await sql`select from api_tokens where id = ${ids[1]} for update`;
    reports = Promise.all([report(ids), report(ids.toReversed())]);
    // Both wait. If each locked in the order it was given, each would now hold the row that the other needs
    // next.
    await waitForLocks(store, 2);
  });
  await t.resolves(reports as Promise<unknown>);
});

t.test(
  "token - it is found, and revoked, after lists on the same connection timed out between their rows",
  async (t) => {
    const few = await testStore(2);
    const organisationId = await testOrganisation(few);
    const secretHash = randomBytes(32);
    const token = { id: uuidv7(), organisationId, access: "read", description: "", secretHash } as const;
    await createToken(few, token);
    // A script that fails undoes its `set`.
    const list = "set statement_timeout = 50; select i, pg_sleep(0.01) from generate_series(1, 100) i";
    const timeOut = () =>
      Promise.all(Array.from({ length: 8 }, () => t.rejects(few.script(list), { code: "57014" })));
    await timeOut();
    for (let i = 0; i < 8; i++) t.match(await findTokenByHash(few, secretHash), { id: token.id });
    await timeOut();
    const revoked = await Promise.all([1, 2].map(() => revokeToken(few, organisationId, token.id)));
    for (const answer of revoked) t.ok(answer?.revokedAt);
  },
);
