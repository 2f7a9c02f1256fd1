import t from "tap";
import { encodeId } from "#domain";
import { getOrganisation } from "#publisher-db";
import { missingFor, readSettings } from "#runtime";
import type { Pipeline } from "#test-support";
import { ProxiedCallers, readCookie } from "./callers.ts";
import { type Asking, NO_API, openConsole, Visitor } from "./test-console.ts";

const ORIGIN = "https://bank.example";

/** A console behind a proxy at `proxies`, and a request through it. */
async function behind(
  t: { teardown(end: () => unknown): void },
  proxies: string,
  groups: (pipeline: Pipeline) => string,
) {
  const scene = await openConsole(t, (pipeline) => ({
    ...NO_API,
    STAMPEDE_CONSOLE_PROXIES: proxies,
    STAMPEDE_CONSOLE_ORIGIN: ORIGIN,
    STAMPEDE_CONSOLE_GROUPS: groups(pipeline),
    STAMPEDE_CONSOLE_USER_HEADER: "X-Remote-User",
    STAMPEDE_CONSOLE_GROUPS_HEADER: "X-Remote-Groups",
  }));
  const visitor = new Visitor(scene.url);
  type Header = string | readonly string[] | undefined;
  const ask = (user: Header, groups: Header, asking: Asking = {}) =>
    visitor.post(
      "session",
      {},
      {
        ...asking,
        headers: { origin: ORIGIN, "x-remote-user": user, "x-remote-groups": groups, ...asking.headers },
      },
    );
  return { scene, visitor, ask };
}

t.test("behind a proxy - its headers name the user, and the highest role of the groups counts", async (t) => {
  const { scene, ask, visitor } = await behind(
    t,
    "127.0.0.0/8",
    ({ publisher }) =>
      `ops=operator,admins=administrator,help=support:${encodeId("org", publisher.organisationId)}`,
  );
  t.match((await ask("ada", "staff, help")).body, { user: "ada", role: "support", by_link: false });
  t.match((await ask("ada", "help,ops")).body, { role: "operator" });
  t.match((await ask("ada", "ops,admins,help")).body, { role: "administrator" });
  t.match(await ask("ada", "staff"), { status: 403, body: { error: { data: { reason: "no_role" } } } });
  t.match(await ask("ada", "OPS"), { status: 403 }, "a group has one spelling");
  t.match(await ask("ada", undefined), { status: 403 });
  t.match(await ask(undefined, "admins"), {
    status: 401,
    body: { error: { data: { reason: "no_user" } } },
  });
  t.match(await ask(" ", "admins"), { status: 401 });
  const forwarded = { "x-forwarded-user": "eve", "x-forwarded-groups": "admins" };
  t.match(
    await ask(undefined, undefined, { headers: forwarded }),
    { status: 401 },
    "other headers are not read",
  );
  const only = await getOrganisation(scene.pipeline.store, scene.publisher.organisationId);
  t.match((await ask("ada", "help")).body.organisations, [{ name: only?.name }]);
  const stale = await scene.visitor("administrator");
  const cookie = { headers: { cookie: stale.cookie ?? "" } };
  t.match(await ask(undefined, undefined, cookie), { status: 401 }, "a link's session does not count here");
  t.equal((await visitor.post("session/open", { link: "x" }, { headers: { origin: ORIGIN } })).status, 404);
});

t.test("behind a proxy - repeated identity headers give no role", async (t) => {
  const { ask } = await behind(t, "127.0.0.0/8", () => "ops=operator,admins=administrator");
  const refused = { status: 401, body: { error: { data: { reason: "repeated_header" } } } };
  t.match(await ask(["eve", "ada"], "ops"), refused, "what the caller sent, and what the proxy added");
  t.match(await ask("ada", ["admins", "ops"]), refused);
  t.match(await ask("ada", ["ops", "ops"]), refused);
  t.match(await ask("ada", ["", "ops"]), refused);
  t.match(await ask(["", "ada"], "ops"), refused);
  t.match(await ask(["eve", "ada"], ["admins", "ops"]), refused);
  t.match(await ask("eve, ada", "ops"), refused, "joined by the proxy");
  t.match(await ask("ada", "ops, staff"), { status: 200, body: { role: "operator" } });
});

t.test("behind a proxy - headers of other callers are ignored", async (t) => {
  const { ask } = await behind(t, "10.0.0.0/8", () => "admins=administrator");
  t.match(await ask("ada", "admins"), { status: 401, body: { error: { data: { reason: "not_by_proxy" } } } });
});

t.test("without proxies - headers of callers are ignored", async (t) => {
  const { url } = await openConsole(t, NO_API);
  const headers = { "x-forwarded-user": "eve", "x-forwarded-groups": "admins" };
  t.equal((await new Visitor(url).post("session", {}, { headers })).status, 401);
});

t.test("a group for an organisation without a token gives no role", async (t) => {
  const warned: unknown[] = [];
  const log = { warn: (fields: unknown) => warned.push(fields) } as never;
  const settings = readSettings({
    STAMPEDE_CONSOLE_PROXIES: "127.0.0.1/32",
    STAMPEDE_CONSOLE_ORIGIN: ORIGIN,
    STAMPEDE_CONSOLE_GROUPS: "help=support:elsewhere",
  });
  t.throws(() => new ProxiedCallers(settings, { find: () => undefined }, log), { code: "console_closed" });
  t.match(warned, [{ group: "help", organisation: "elsewhere" }]);
});

t.test("settings - a console that is open to everyone, or to no user, does not start", async (t) => {
  const servers = { DATABASE_URL: "postgres://localhost/x", NATS_URL: "nats://localhost" };
  const missing = (env: Record<string, string>) =>
    missingFor("console", readSettings({ ...servers, ...env }));
  t.strictSame(missing({}), []);
  for (const host of ["127.0.0.1", "127.0.0.2", "::1", "localhost"]) {
    t.strictSame(missing({ STAMPEDE_CONSOLE_HOST: host }), [], host);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "console.example"]) {
    t.match(missing({ STAMPEDE_CONSOLE_HOST: host }), [/STAMPEDE_CONSOLE_PROXIES/], host);
  }
  const proxies = { STAMPEDE_CONSOLE_PROXIES: "10.0.0.0/8", STAMPEDE_CONSOLE_HOST: "0.0.0.0" };
  t.match(missing(proxies), [/STAMPEDE_CONSOLE_ORIGIN.*STAMPEDE_CONSOLE_GROUPS/]);
  const whole = { ...proxies, STAMPEDE_CONSOLE_ORIGIN: ORIGIN, STAMPEDE_CONSOLE_GROUPS: "a=operator" };
  t.strictSame(missing(whole), []);
});

t.test("cookies - only a cookie of the right name and form is taken", async (t) => {
  const secret = "x".repeat(43);
  t.equal(readCookie(`a=b; stampede_console_1=${secret}`, "stampede_console_1"), secret);
  t.equal(readCookie(`stampede_console_2=${secret}`, "stampede_console_1"), undefined);
  t.equal(readCookie("stampede_console_1=", "stampede_console_1"), undefined);
  t.equal(readCookie(`stampede_console_1=${secret}'`, "stampede_console_1"), undefined);
  t.equal(readCookie(undefined, "stampede_console_1"), undefined);
});
