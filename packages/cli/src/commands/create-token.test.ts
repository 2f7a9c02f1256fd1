import t from "tap";
import { hashTokenSecret, isTokenSecret } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation, findOrganisations, findTokenByHash } from "#publisher-db";
import { testServers } from "#test-support";
import { runCommand } from "../test-command.ts";

let url: string;
let store: Store;
t.before(async () => {
  url = await (await testServers()).databaseUrl();
  store = connectStore({ url, max: 2, applicationName: "test" });
});
t.teardown(() => closeStore(store));

const create = (...options: string[]) => runCommand(["token", "create", ...options], { DATABASE_URL: url });
const createFor = (organisation: string, ...options: string[]) =>
  create("--organisation", organisation, "--access", "write", ...options);

t.test("token create - stdout has the secret and nothing else, and the token works", async (t) => {
  const { out, err } = await create("--organisation", "acme", "--access", "read", "--create-organisation");
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

t.test("token create - a second run with --create-organisation makes no second one", async (t) => {
  await createFor("once", "--create-organisation");
  await createFor("once", "--create-organisation");
  t.equal((await findOrganisations(store, { name: "once", limit: 5 })).length, 1);
});

t.test(
  "token create - an unknown organisation is refused with the known ones, and nothing is made",
  async (t) => {
    await createFor("known", "--create-organisation");
    await t.rejects(createFor("knwon"), {
      message: /no organisation "knwon".*"known" \(org_/,
    });
    t.strictSame(await findOrganisations(store, { name: "knwon", limit: 1 }), []);
  },
);

t.test("token create - if several organisations have one name, the id chooses", async (t) => {
  const ids = ["0195a000-0000-7000-8000-000000000001", "0195a000-0000-7000-8000-000000000002"];
  for (const id of ids) await createOrganisation(store, { id, name: "twin" });
  const error = await createFor("twin").catch((error: Error) => error);
  const [, second] = String(error).match(/org_\w+/g) ?? [];
  t.match(String(error), /several organisations are named "twin"/);
  const { out } = await createFor(second ?? "");
  t.match(await findTokenByHash(store, hashTokenSecret(out.trimEnd())), { organisationId: ids[1] });
});

t.test("token create - an expiry is kept, and a wrong or past one is refused", async (t) => {
  const organisation = "expiring";
  const expiresAt = "2099-01-31T00:00:00+01:00";
  const { out } = await createFor(organisation, "--create-organisation", "--expires-at", expiresAt);
  const grant = await findTokenByHash(store, hashTokenSecret(out.trimEnd()));
  t.equal(grant?.expiresAt?.toISOString(), "2099-01-30T23:00:00.000Z");
  await t.rejects(createFor(organisation, "--expires-at", "tomorrow"), { message: /--expires-at must be/ });
  await t.rejects(createFor(organisation, "--expires-at", "2020-01-01T00:00:00Z"), {
    message: /in the past/,
  });
});
