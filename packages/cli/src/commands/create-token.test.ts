import t from "tap";
import { hashTokenSecret, isTokenSecret } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation, findOrganisations, findTokenByHash } from "#publisher-db";
import { testServers } from "#test-support";
import { Terminal } from "../terminal.ts";
import { createApiToken, type TokenRequest } from "./tokens.ts";

let store: Store;
t.before(async () => {
  const servers = await testServers();
  store = connectStore({ url: await servers.databaseUrl(), max: 2, applicationName: "test" });
});
t.teardown(() => closeStore(store));

async function create(request: Partial<TokenRequest> & { organisation: string }) {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = new Terminal(
    { write: (text: string) => out.push(text) },
    { write: (text: string) => err.push(text) },
  );
  const defaults = { access: "write", description: "", createOrganisation: false } as const;
  await createApiToken(store, { ...defaults, ...request }, terminal);
  return { out: out.join(""), err: err.join("") };
}

t.test("token create - stdout has the secret and nothing else, and the token works", async (t) => {
  const { out, err } = await create({ organisation: "acme", access: "read", createOrganisation: true });
  const secret = out.trimEnd();
  t.ok(isTokenSecret(secret));
  t.equal(out, `${secret}\n`);
  t.notMatch(err, secret);
  const [organisation] = await findOrganisations(store, { name: "acme", limit: 2 });
  t.match(await findTokenByHash(store, hashTokenSecret(secret)), {
    organisationId: organisation?.id,
    access: "read",
    expiresAt: null,
  });
});

t.test("token create - --create-organisation makes none a second time", async (t) => {
  await create({ organisation: "once", createOrganisation: true });
  await create({ organisation: "once", createOrganisation: true });
  t.equal((await findOrganisations(store, { name: "once", limit: 5 })).length, 1);
});

t.test(
  "token create - an unknown organisation is refused with the known ones, and nothing is made",
  async (t) => {
    await create({ organisation: "known", createOrganisation: true });
    await t.rejects(create({ organisation: "knwon" }), {
      message: /no organisation "knwon".*"known" \(org_/,
    });
    t.strictSame(await findOrganisations(store, { name: "knwon", limit: 1 }), []);
  },
);

t.test("token create - of several organisations with one name the id chooses", async (t) => {
  const ids = ["0195a000-0000-7000-8000-000000000001", "0195a000-0000-7000-8000-000000000002"];
  for (const id of ids) await createOrganisation(store, { id, name: "twin" });
  const error = await create({ organisation: "twin" }).catch((error: Error) => error);
  const [, second] = String(error).match(/org_\w+/g) ?? [];
  t.match(String(error), /several organisations are named "twin"/);
  const { out } = await create({ organisation: second ?? "" });
  t.match(await findTokenByHash(store, hashTokenSecret(out.trimEnd())), { organisationId: ids[1] });
});

t.test("token create - an expiry is kept, and one that is wrong or past is refused", async (t) => {
  const organisation = "expiring";
  const expiresAt = "2099-01-31T00:00:00+01:00";
  const { out } = await create({ organisation, createOrganisation: true, expiresAt });
  const grant = await findTokenByHash(store, hashTokenSecret(out.trimEnd()));
  t.equal(grant?.expiresAt?.toISOString(), "2099-01-30T23:00:00.000Z");
  await t.rejects(create({ organisation, expiresAt: "tomorrow" }), { message: /--expires-at must be/ });
  await t.rejects(create({ organisation, expiresAt: "2020-01-01T00:00:00Z" }), { message: /in the past/ });
});
