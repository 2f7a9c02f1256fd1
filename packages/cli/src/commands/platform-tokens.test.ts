import { randomBytes } from "node:crypto";
import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId, hashTokenSecret, isTokenSecret } from "#domain";
import { findTokenOwner } from "#platform-db";
import { closeStore, connectStore } from "#postgres";
import { testServers } from "#test-support";
import { createRetailer } from "../../../../services/platform/src/retailers/retailer-rows.ts";
import { runCommand } from "../test-command.ts";

/** Runs the command line on a new platform database. */
async function platform(t: Test) {
  const url = await (await testServers()).databaseUrl();
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const run = (...args: string[]) =>
    runCommand(args, { STAMPEDE_PLATFORM_DATABASE_URL: url, DATABASE_URL: url });
  const owner = (secret: string) => findTokenOwner(store, hashTokenSecret(secret.trimEnd()));
  return { store, run, owner };
}

t.test("token - a platform's token is replaced without a gap: make, switch, revoke", async (t) => {
  const { run, owner } = await platform(t);
  const { out: first, err } = await run("token", "create", "--platform", "--description", "the old one");
  t.match(first, /^\S+\n$/);
  t.ok(isTokenSecret(first.trimEnd()), "stdout has the secret and nothing else");
  t.notMatch(err, first.trimEnd());
  const { out: second } = await run("token", "create", "--platform", "--description", "the new one");
  t.match(await owner(first), { kind: "platform" });
  t.match(await owner(second), { kind: "platform" }, "both count meanwhile");
  const listed = (await run("token", "list", "--platform")).out.trimEnd().split("\n");
  t.match(listed, [/^atok_\w+\t\d{4}-.*Z\tthe old one$/, /^atok_\w+\t.*\tthe new one$/]);
  t.notMatch(listed.join(), first.trimEnd());
  const id = listed[0]?.split("\t")[0] as string;
  t.equal((await run("token", "revoke", id, "--platform")).err, `platform token ${id} is revoked\n`);
  t.equal(await owner(first), undefined);
  t.match(await owner(second), { kind: "platform" });
  await t.rejects(run("token", "revoke", id, "--platform"), { message: /^the platform has no token atok_/ });
  await t.rejects(run("token", "list"), {
    message: /^give --platform .* a publisher's tokens call api-token\/list /,
  });
  await t.rejects(run("token", "revoke", id), { message: /^give --platform .* api-token\/revoke / });
});

t.test(
  "token - a retailer's token is replaced without a gap: both count, then the previous one ends",
  async (t) => {
    const { store, run, owner } = await platform(t);
    const [id, old] = [uuidv7(), `stp_live_${randomBytes(8).toString("hex")}`];
    const fields = { name: "Shop", merchantIds: ["M-1"], statementDescriptors: [] };
    await createRetailer(store, { id, ...fields, tokenHash: hashTokenSecret(old) });
    const retailer = encodeId("ret", id);
    const { out: second, err } = await run("token", "create", "--retailer", retailer);
    t.strictSame(await owner(second), { kind: "retailer", id });
    t.strictSame(await owner(old), { kind: "retailer", id }, "both count meanwhile");
    t.match(
      err,
      /^retailer "Shop" \(ret_\w+\) has a new token, and its previous one is valid until \d{4}-.*Z; shown only here:\n$/,
    );
    t.notMatch(err, second.trimEnd());
    const [left] = await store<[{ seconds: number }]>`
    select extract(epoch from previous_token_until - now())::float8 as seconds from platform.retailers`;
    t.ok(Math.abs(left.seconds - 86_400) < 60, "a day");
    await store`update platform.retailers set previous_token_until = now() - interval '1 second'`;
    t.equal(await owner(old), undefined, "its time is over");

    const { out: third } = await run("token", "create", "--retailer", retailer, "--overlap", "1h");
    t.strictSame(await owner(second), { kind: "retailer", id });
    const { out: last, err: told } = await run("token", "create", "--retailer", retailer, "--overlap", "0s");
    t.match(told, /and its previous one is refused;/);
    t.strictSame(await owner(last), { kind: "retailer", id });
    t.equal(await owner(third), undefined, "after a leak it ends at once");
    t.equal(await owner(second), undefined, "a retailer has two at most");
    await t.rejects(run("token", "create", "--retailer", "ret_none"), { message: /^no retailer ret_none/ });
  },
);
