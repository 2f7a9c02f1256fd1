import { randomBytes, randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { createTokenSecret, hashTokenSecret } from "#domain";
import type { Store } from "#postgres";
import type { TokenGrant } from "#publisher-db";
import { createLog } from "#runtime";
import { Authenticator, TokenCache } from "./authenticate.ts";

const grantOf = (changes: Partial<TokenGrant> = {}): TokenGrant => ({
  id: randomUUID(),
  organisationId: randomUUID(),
  access: "read",
  expiresAt: null,
  revokedAt: null,
  ...changes,
});
/** The present time, until a test sets another. */
const NOW_MS = Date.parse("2026-05-01T10:00:00Z");
const newSecret = () => createTokenSecret(randomBytes(32));

t.test("token cache - holds 10,000 tokens, and gives up the one unused longest", async (t) => {
  const cache = new TokenCache();
  for (let i = 0; i < 10_000; i++) cache.put(`token ${i}`, grantOf(), 0, cache.generation);
  t.ok(cache.get("token 0"), "used again");
  cache.put("one more", grantOf(), 0, cache.generation);
  t.equal(cache.get("token 1"), undefined);
  t.ok(cache.get("token 0"));
  t.ok(cache.get("token 2"));
  t.ok(cache.get("one more"));
});

t.test("token cache - a grant that was read before the cache was emptied does not come back", async (t) => {
  const cache = new TokenCache();
  const { generation } = cache;
  cache.clear();
  cache.put("late", grantOf(), 0, generation);
  t.equal(cache.get("late"), undefined);
});

/** The tokens in the database, with a count of look-ups for each. */
function authenticatorOver(t: Test, grants: ReadonlyMap<string, TokenGrant>) {
  const keyOf = (secret: string) => Buffer.from(hashTokenSecret(secret)).toString("hex");
  const byKey = new Map([...grants].map(([secret, grant]) => [keyOf(secret), grant]));
  const asked = new Map<string, number>();
  const state = { now: 1_000_000, timeMs: NOW_MS, isAway: false, isSilent: false };
  // Stands in for the only statement that runs here: twenty thousand real ones would take seconds.
  const store = async (_text: TemplateStringsArray, hashes: readonly string[]) => {
    for (const key of hashes) asked.set(key, (asked.get(key) ?? 0) + 1);
    if (state.isSilent) await new Promise(() => {});
    if (state.isAway) throw new Error("away");
    return hashes.map((key) => byKey.get(key) ?? { id: null });
  };
  const authenticator = new Authenticator({
    store: store as unknown as Store,
    log: createLog({ service: "test", level: "silent" }),
    mayTrust: () => true,
    now: () => new Date(state.timeMs),
    monotonic: () => state.now,
  });
  t.teardown(() => authenticator.stop());
  const revoke = (secret: string) =>
    byKey.set(keyOf(secret), { ...(byKey.get(keyOf(secret)) as TokenGrant), revokedAt: new Date() });
  return { authenticator, state, revoke, asked: (secret: string) => asked.get(keyOf(secret)) ?? 0 };
}

t.test("token cache - unknown tokens do not displace those in use", async (t) => {
  const [inUse, revoked] = [newSecret(), newSecret()];
  const grants = new Map([
    [inUse, grantOf()],
    [revoked, grantOf({ revokedAt: new Date() })],
  ]);
  const { authenticator, asked } = authenticatorOver(t, grants);
  t.match(await authenticator.authenticate(inUse), { access: /./ });
  // Tokens of the right form and checksum, twice as many as the cache holds.
  const garbage = Array.from({ length: 20_000 }, newSecret);
  const verdicts = new Set();
  for (const secret of garbage) verdicts.add(await authenticator.authenticate(secret));
  t.strictSame(verdicts, new Set(["unknown"]));
  const again = authenticator.authenticate(inUse);
  t.notOk(again instanceof Promise, "still in memory: known without asking");
  t.match(again, { access: /./ });
  for (const [secret, fault] of [
    [garbage[0] as string, "unknown"],
    [garbage.at(-1) as string, "unknown"],
    [revoked, "revoked"],
  ] as const) {
    const before = asked(secret);
    for (let i = 0; i < 3; i++) t.equal(await authenticator.authenticate(secret), fault);
    t.equal(
      asked(secret),
      before + 3,
      "an unknown token is never cached, so that a token made later is valid immediately",
    );
  }
});

t.test("token cache - expiry is checked at every request, also of a grant in memory", async (t) => {
  const secret = newSecret();
  const expiresAt = new Date(NOW_MS + 2_000);
  const { authenticator, asked, state } = authenticatorOver(t, new Map([[secret, grantOf({ expiresAt })]]));
  t.match(await authenticator.authenticate(secret), { access: /./ });
  state.timeMs = expiresAt.getTime() - 1;
  t.match(await authenticator.authenticate(secret), { access: /./ }, "a millisecond before");
  state.timeMs = expiresAt.getTime();
  t.equal(await authenticator.authenticate(secret), "expired", "at the very moment");
  t.equal(asked(secret), 1, "without asking the database again");
});

t.test("token cache - a grant that was read long ago counts only once it is read again", async (t) => {
  const secret = newSecret();
  const { authenticator, state, revoke } = authenticatorOver(t, new Map([[secret, grantOf()]]));
  t.match(await authenticator.authenticate(secret), { access: /./ });
  revoke(secret);
  state.now += 4_000;
  t.match(authenticator.authenticate(secret), { access: /./ }, "the revoker still waits for us");
  state.now += 600;
  t.equal(await authenticator.authenticate(secret), "revoked");
});

t.test(
  "token cache - when the database does not answer, a grant that was read long ago counts",
  async (t) => {
    const secret = newSecret();
    const { authenticator, state } = authenticatorOver(t, new Map([[secret, grantOf()]]));
    await authenticator.authenticate(secret);
    for (const how of ["isAway", "isSilent"] as const) {
      state.now += 60_000;
      state[how] = true;
      t.match(await authenticator.authenticate(secret), { access: /./ }, how);
      t.notOk(authenticator.authenticate(secret) instanceof Promise, "and is not waited for each time");
      state[how] = false;
    }
  },
);
