import { randomUUID } from "node:crypto";
import t from "tap";
import { makeConsoleLink } from "#publisher-db";
import { testStore } from "#test-support";
import { closeSession, findSession, openSession, sweepSessions } from "./sessions.ts";
import { openConsole, Visitor } from "./test-console.ts";

const guest = { user: "ada", role: "operator" } as const;
const secretOf = (link: string) => link.split("#link=")[1] as string;

t.test("links - let in once, also if two browsers come at the same moment", async (t) => {
  const store = await testStore();
  const link = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  const opened = await Promise.all([1, 2, 3, 4].map(() => openSession(store, link)));
  const sessions = opened.filter((session) => session !== undefined);
  t.equal(sessions.length, 1);
  t.strictSame(await findSession(store, sessions[0] as string), { ...guest, organisationId: undefined });
  t.equal(await openSession(store, link), undefined, "and not later either");
});

t.test("links and sessions - expire, and are swept then", async (t) => {
  const store = await testStore();
  const late = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  const link = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  const session = (await openSession(store, link)) as string;
  await store`update console_links set expires_at = now() - interval '1 second'`;
  t.equal(await openSession(store, late), undefined);
  t.ok(await findSession(store, session), "a session outlives its link");
  await store`update console_sessions set expires_at = now() - interval '1 second'`;
  t.equal(await findSession(store, session), undefined);
  await sweepSessions(store);
  t.strictSame(await store`select from console_links union all select from console_sessions`, []);
});

t.test("sessions - end when they are closed", async (t) => {
  const store = await testStore();
  const link = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  const session = (await openSession(store, link)) as string;
  await closeSession(store, session);
  t.equal(await findSession(store, session), undefined);
});

t.test("links - one for support names an organisation, and no other does", async (t) => {
  const store = await testStore();
  const make = (role: "support" | "operator", organisationId?: string) =>
    makeConsoleLink(store, "http://127.0.0.1:8070/", { user: "ada", role, organisationId });
  await t.rejects(make("support"), { code: "23514" });
  await t.rejects(make("operator", randomUUID()), { code: /23514|23503/ });
});

t.test("the database keeps no secret of a link or a session", async (t) => {
  const { pipeline, url, visitor } = await openConsole(t);
  const ada = await visitor("administrator");
  const link = await makeConsoleLink(pipeline.store, url, guest);
  const rows = await pipeline.store<{ row: string }[]>`
    select l::text as row from console_links l union all select s::text from console_sessions s`;
  const text = rows.map(({ row }) => row).join("\n");
  for (const secret of [secretOf(link), ada.cookie?.split("=")[1] as string]) {
    t.notMatch(text, secret);
    t.notMatch(text, Buffer.from(secret).toString("hex"));
  }
});

t.test("a visitor comes by a link, is known, and leaves", async (t) => {
  const { pipeline, url } = await openConsole(t);
  const visitor = new Visitor(url);
  const stranger = await visitor.post("session");
  t.match(stranger, { status: 401, body: { error: { data: { reason: "no_session" } } } });
  t.equal(stranger.headers["cache-control"], "no-store");
  const link = await makeConsoleLink(pipeline.store, url, guest);
  const opened = await visitor.follow(link);
  t.equal(opened.status, 200);
  t.match(
    String(opened.headers["set-cookie"]),
    /^stampede_console_0=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  const session = await visitor.post("session");
  t.match(session.body, { user: "ada", role: "operator", by_link: true, platform: false, version: /^\d+\./ });
  t.equal(session.body.organisations.length, 1);
  t.strictSame(session.body.organisation, session.body.organisations[0]);
  t.match((await new Visitor(url).follow(link)).body, { error: { data: { reason: "link_over" } } });
  t.equal((await visitor.post("session/close")).status, 200);
  t.match(await visitor.post("session"), {
    status: 401,
    body: { error: { data: { reason: "session_over" } } },
  });
});
