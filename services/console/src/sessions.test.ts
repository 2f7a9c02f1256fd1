import { randomUUID } from "node:crypto";
import t from "tap";
import { type ConsoleRole, endConsoleEntrances, listConsoleEntrances, makeConsoleLink } from "#publisher-db";
import { testStore, waitForLocks } from "#test-support";
import { closeSession, findSession, openSession, sweepSessions } from "./sessions.ts";
import { NO_API, openConsole, Visitor } from "./test-console.ts";

const guest = { user: "ada", role: "operator" } as const;
const secretOf = (link: string) => link.split("#link=")[1] as string;

t.test("links - let a user in once, even if two browsers come at the same moment", async (t) => {
  const store = await testStore();
  const link = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  const opened = await Promise.all([1, 2, 3, 4].map(() => openSession(store, link)));
  const sessions = opened.filter((session) => session !== undefined);
  t.equal(sessions.length, 1);
  t.strictSame(await findSession(store, sessions[0] as string), { ...guest, organisationId: undefined });
  t.equal(await openSession(store, link), undefined, "and no session later either");
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

t.test("links - a link for support names an organisation, and no other link does", async (t) => {
  const store = await testStore();
  const make = (role: "support" | "operator", organisationId?: string) =>
    makeConsoleLink(store, "http://127.0.0.1:8070/", { user: "ada", role, organisationId });
  await t.rejects(make("support"), { code: "23514" });
  await t.rejects(make("operator", randomUUID()), { code: /23514|23503/ });
});

t.test("the database keeps no secret of a link or a session", async (t) => {
  const { pipeline, url, visitor } = await openConsole(t, NO_API);
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

t.test("a user comes by a link, is recognised, and leaves", async (t) => {
  const { pipeline, url } = await openConsole(t, NO_API);
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
  t.match(session.body, { user: "ada", role: "operator", by_link: true, platform: false });
  t.equal(session.body.organisations.length, 1);
  t.match((await new Visitor(url).follow(link)).body, { error: { data: { reason: "link_over" } } });
  t.equal((await visitor.post("session/close")).status, 200);
  t.match(await visitor.post("session"), {
    status: 401,
    body: { error: { data: { reason: "session_over" } } },
  });
});

t.test("sessions - users list and end their own, administrators all", async (t) => {
  const { pipeline, url } = await openConsole(t, NO_API);
  const { store, publisher } = pipeline;
  const come = async (user: string, role: ConsoleRole, organisationId?: string) => {
    const visitor = new Visitor(url);
    await visitor.follow(await makeConsoleLink(store, url, { user, role, organisationId }));
    return visitor;
  };
  const linkOf = (user: string) => makeConsoleLink(store, url, { user, role: "operator" });
  const list = async (visitor: Visitor) => (await visitor.post("sessions/list")).body.entrances;
  const end = (visitor: Visitor, choice: object) =>
    visitor.post("sessions/end", choice, { reason: "a test" });
  const isIn = async (visitor: Visitor) => (await visitor.post("session")).status === 200;
  const root = await come("root", "administrator");
  const [ada, adaToo, bo] = [
    await come("ada", "operator"),
    await come("ada", "operator"),
    await come("bo", "support", publisher.organisationId),
  ];
  const unused = await linkOf("bo");

  const all = await list(root);
  t.strictSame(
    all.map(({ user, kind }: { user: string; kind: string }) => `${user} ${kind}`),
    ["ada session", "ada session", "bo session", "bo link", "root session"],
  );
  t.match(all[0], { id: /^[0-9a-f]{16}$/, role: "operator", organisation: null, expires_at: /Z$/ });
  t.match(all[2], { organisation: /^org_/ });
  const own = await list(ada);
  t.strictSame(new Set(own.map(({ user }: { user: string }) => user)), new Set(["ada"]));

  t.match(await end(ada, { user: "bo" }), { status: 403 });
  t.match(await end(ada, { all: true }), { status: 403 });
  t.match(
    await end(ada, { id: all[2].id }),
    { status: 404 },
    "another user's session does not exist for her",
  );
  for (const choice of [
    {},
    { id: "" },
    { id: "%" },
    { user: "" },
    { all: false },
    { id: own[0].id, user: "ada" },
  ]) {
    t.match(await end(ada, choice), { status: 400 }, JSON.stringify(choice));
  }
  t.match(await ada.post("sessions/end", { user: "ada" }), { status: 400 }, "without a reason");
  t.strictSame(await Promise.all([root, ada, adaToo, bo].map(isIn)), [true, true, true, true]);

  t.match(await end(ada, { id: own[0].id }), { status: 200, body: { sessions: 1, links: 0 } });
  t.strictSame(
    (await Promise.all([ada, adaToo].map(isIn))).sort(),
    [false, true],
    "one of the two has ended",
  );
  t.match(await end(root, { user: "ada" }), { body: { sessions: 1, links: 0 } });
  t.strictSame(await Promise.all([ada, adaToo].map(isIn)), [false, false], "for their next request");
  t.match(await end(root, { user: "bo" }), { body: { sessions: 1, links: 1 } });
  t.match(await new Visitor(url).follow(unused), { body: { error: { data: { reason: "link_over" } } } });
  t.match(await end(root, { id: all[0].id }), { status: 404 });

  const again = await come("ada", "operator");
  await linkOf("ada");
  t.match(await end(root, { all: true }), { status: 200, body: { sessions: 2, links: 1 } });
  t.strictSame(await Promise.all([root, again].map(isIn)), [false, false], "their own too");
  const lines = await store`
    select user_name as "user", subject, reason from console_audit where action = 'sessions/end' order by id`;
  t.strictSame(
    lines.map(({ user, subject }) => `${user}: ${subject}`),
    [
      `ada: session ${all[2].id}`,
      `ada: session ${own[0].id}`,
      "root: ada",
      "root: bo",
      `root: session ${all[0].id}`,
      "root: everybody",
    ],
  );
});

t.test("sessions - a session that a link opens while all are being ended does not stay", async (t) => {
  const store = await testStore();
  const link = secretOf(await makeConsoleLink(store, "http://127.0.0.1:8070/", guest));
  let ending: ReturnType<typeof endConsoleEntrances> | undefined;
  const session = await store.begin(async (sql) => {
    const opened = await openSession(sql, link);
    ending = endConsoleEntrances(store, {});
    // It waits for the link that is being used.
    await waitForLocks(store, 1, "%console_links%");
    return opened as string;
  });
  t.strictSame(await ending, { sessions: 1, links: 0 });
  t.equal(await findSession(store, session), undefined);
  t.strictSame(await listConsoleEntrances(store), []);
});
