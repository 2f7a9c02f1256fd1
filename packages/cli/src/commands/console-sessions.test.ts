import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { makeConsoleLink } from "#publisher-db";
import { testServers } from "#test-support";
import { runCommand } from "../test-command.ts";

t.test("console sessions - lists open sessions, and ends one, all of a user or all", async (t) => {
  const url = await (await testServers()).databaseUrl();
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const run = async (...args: string[]) => {
    const { out, err } = await runCommand(["console", "sessions", ...args], { DATABASE_URL: url });
    return { lines: out.split("\n").slice(0, -1), err };
  };
  const link = (user: string) => makeConsoleLink(store, "http://127.0.0.1:8070/", { user, role: "operator" });
  t.strictSame((await run()).lines, []);
  for (const user of ["ada", "ada", "bo", "cy"]) await link(user);
  await store`
    insert into console_sessions (secret_hash, user_name, role, expires_at)
    select sha256(n::text::bytea), 'bo', 'administrator', now() + interval '1 hour' from generate_series(1, 2) n`;
  const { lines } = await run();
  t.equal(lines.length, 6);
  t.match(lines[0], /^[0-9a-f]{16}\tlink\tada\toperator\t\t\d{4}-.*Z$/);
  t.match(lines[2], /^[0-9a-f]{16}\tsession\tbo\tadministrator\t\t/);
  const id = lines[0]?.slice(0, 16) as string;
  t.match(await run("--end", id), { lines: [], err: "ended: 0 sessions, 1 unused link\n" });
  await t.rejects(run("--end", id), { message: /^there is no open session or link/ });
  await t.rejects(run("--end", "a"), { message: /^a is no id of a session/ });
  t.match(await run("--end-user", "bo"), { err: "ended: 2 sessions, 1 unused link\n" });
  t.equal((await run()).lines.length, 2);
  t.match(await run("--end-all"), { err: "ended: 0 sessions, 2 unused links\n" });
  t.strictSame((await run()).lines, []);
});
