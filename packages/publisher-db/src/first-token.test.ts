import { createHash, randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import { revokeToken } from "../../../services/edge/src/auth/api-tokens.ts";
import { findTokenByHash } from "./api-tokens.ts";
import { ensureFirstToken, type FirstToken } from "./first-token.ts";
import { createOrganisation } from "./organisations.ts";

const sha256 = (secret: string) => createHash("sha256").update(secret).digest();

function first(changes: Partial<FirstToken> = {}): FirstToken {
  return {
    organisationName: "default",
    description: "first",
    ids: { organisationId: uuidv7(), tokenId: uuidv7() },
    newSecret: () => {
      const secret = randomBytes(8).toString("hex");
      return { secret, hash: sha256(secret) };
    },
    ...changes,
  };
}

async function count(store: Store): Promise<{ organisations: number; tokens: number }> {
  const [counts] = await store<[{ organisations: number; tokens: number }]>`
    select (select count(*) from organisations) as organisations, (select count(*) from api_tokens) as tokens`;
  return counts;
}

t.test("first token - of several processes at one time one makes it", async (t) => {
  const store = await testStore(4);
  const secrets = await Promise.all([1, 2, 3, 4].map(() => ensureFirstToken(store, first())));
  const made = secrets.filter((secret) => secret !== undefined);
  t.equal(made.length, 1);
  t.match(await findTokenByHash(store, sha256(made[0] as string)), { access: "write", revokedAt: null });
  t.strictSame(await count(store), { organisations: 1, tokens: 1 });
});

t.test("first token - is not made again, not even once it is revoked", async (t) => {
  const store = await testStore();
  const secret = (await ensureFirstToken(store, first())) as string;
  const newSecret = () => t.fail("no secret is needed") as never;
  t.equal(await ensureFirstToken(store, first({ newSecret })), undefined);
  const grant = await findTokenByHash(store, sha256(secret));
  await revokeToken(store, grant?.organisationId as string, grant?.id as string);
  t.equal(await ensureFirstToken(store, first({ newSecret })), undefined);
});

t.test("first token - nothing is made if the secret could not be kept", async (t) => {
  const store = await testStore();
  const newSecret = () => Promise.reject(new Error("disk full"));
  await t.rejects(ensureFirstToken(store, first({ newSecret })), { message: "disk full" });
  t.strictSame(await count(store), { organisations: 0, tokens: 0 });
});

t.test("first token - goes to the organisation of that name if there is one", async (t) => {
  const store = await testStore();
  const { id } = await createOrganisation(store, { id: uuidv7(), name: "default" });
  const secret = (await ensureFirstToken(store, first())) as string;
  t.equal((await findTokenByHash(store, sha256(secret)))?.organisationId, id);
});
