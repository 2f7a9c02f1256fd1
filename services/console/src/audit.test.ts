import { randomUUID } from "node:crypto";
import t from "tap";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import { explaining, testStore, waitFor } from "#test-support";
import { auditEndpoint, beginLine, completeLine } from "./audit.ts";
import type { AuditEntry } from "./audit-entry.ts";
import type { ConsoleCall } from "./endpoint.ts";
import { NO_API, openConsole, startFakeApi, Visitor } from "./test-console.ts";

type Entry = Omit<AuditEntry, "id" | "at">;

/** All lines in an administrator's view, but oldest first and without their ids and times. */
async function linesOf(store: Store): Promise<Entry[]> {
  const identity = { user: "a", role: "administrator", organisationId: undefined } as const;
  const { body } = await auditEndpoint(store).run({ body: {}, identity } as unknown as ConsoleCall);
  const { data } = JSON.parse(String(body)) as { data: AuditEntry[] };
  return data.map(({ id: _, at: __, ...entry }) => entry).reverse();
}

t.test("audit - every look-up and every change makes a line, and no other request does", async (t) => {
  const api = await startFakeApi((path) => {
    if (path.endsWith("member/find")) return { status: 200, body: { data: [{ id: "m_1" }, { id: "m_2" }] } };
    if (path.endsWith("member/get")) return { status: 200, body: { id: "m_3", ref: "ada@example.com" } };
    if (path.endsWith("webhook/get")) return { status: 200, body: { id: "whk_1", state: "enabled" } };
    if (path.endsWith("transaction/get")) {
      return { status: 404, body: { error: { code: "not_found", message: "", data: {}, trace_id: "" } } };
    }
    return { status: 200, body: {} };
  });
  t.teardown(() => api.close());
  const { pipeline, publisher, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  await ada.post("session");
  await ada.post("publisher.v1/webhook/list");
  await ada.post("publisher.v1/member/find", { ref: "ada@example.com" });
  await ada.post("publisher.v1/member/get", { member_base_id: "mb_1", ref: "ada@example.com" });
  await ada.post("publisher.v1/transaction/get", { external_id: "tx-1" });
  await ada.post(
    "publisher.v1/webhook/update",
    { id: "whk_1", state: "paused" },
    { reason: "  är trasig — 直す  " },
  );
  const organisation = encodeId("org", publisher.organisationId);
  const line = { user: "test operator", role: "operator", organisation, changes: [], joined: [] };
  t.strictSame(await linesOf(pipeline.store), [
    { ...line, action: "publisher.v1/member/find", subject: "m_1, m_2", reason: null, outcome: "ok" },
    { ...line, action: "publisher.v1/member/get", subject: "m_3", reason: null, outcome: "ok" },
    { ...line, action: "publisher.v1/transaction/get", subject: "tx-1", reason: null, outcome: "not_found" },
    {
      ...line,
      action: "publisher.v1/webhook/update",
      subject: "whk_1",
      reason: "är trasig — 直す",
      outcome: "ok",
      changes: ["state: enabled → paused"],
    },
  ]);
  const everything = await pipeline.store<{ row: string }[]>`
    select a::text as row from console_audit a union all select s::text from console_audit_steps s`;
  t.notMatch(everything.map(({ row }) => row).join(), "ada@example.com", "a ref is in no line");
});

t.test("audit - a change without a reason is refused", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: {} }));
  t.teardown(() => api.close());
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  for (const reason of [undefined, "", "ab", "   ab   ", "x".repeat(501)]) {
    const asking = reason === undefined ? {} : { reason };
    const answer = await ada.post("publisher.v1/webhook/update", { id: "whk_1" }, asking);
    t.match(
      answer,
      { status: 400, body: { error: { data: { reason: "reason_required" } } } },
      reason ?? "none",
    );
  }
  const broken = { headers: { "stampede-console-reason": "%E0%A4%A" } };
  t.equal((await ada.post("publisher.v1/webhook/update", { id: "whk_1" }, broken)).status, 400);
  t.strictSame(api.asked, []);
  t.strictSame(await linesOf(pipeline.store), []);
});

t.test("audit - a request whose line cannot be written is not made", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: {} }));
  t.teardown(() => api.close());
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  await pipeline.store.script("alter table console_audit rename to console_audit_away");
  t.match(await ada.post("publisher.v1/member/get", { id: "m_1" }), { status: /500|503/ });
  t.match(await ada.post("publisher.v1/webhook/update", { id: "whk_1" }, { reason: "a test" }), {
    status: /500|503/,
  });
  const asked = api.asked.map(({ path }) => path);
  t.strictSame(asked, ["/publisher.v1/webhook/get"], "only the question for the line's subject was sent");
  t.equal((await ada.post("publisher.v1/webhook/list")).status, 200, "requests without a line continue");
});

t.test("audit - a console that is killed in the middle leaves lines without an outcome", async (t) => {
  const api = await startFakeApi((path) => (path.endsWith("/get") ? { status: 200, body: {} } : undefined));
  t.teardown(() => api.close());
  const scene = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const dying = await scene.fork({ STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const { cookie } = await scene.visitor("operator");
  const ada = new Visitor(dying.url as string, cookie);
  await ada.post("publisher.v1/member/get", { id: "m_1" });
  const cutOff = [
    ada.post("publisher.v1/transaction/list", { member_id: "m_1" }),
    ada.post("publisher.v1/webhook/update", { id: "whk_1" }, { reason: "a test" }),
  ].map((asked) => t.rejects(asked, "the caller is cut off"));
  const isAsked = () => api.asked.filter(({ path }) => !path.endsWith("/get")).length === 2;
  await waitFor(isAsked, { message: "the API was not asked" });
  const open = { action: "publisher.v1/transaction/list", outcome: null, requests: 1 };
  t.match(
    await linesOf(scene.pipeline.store),
    [
      { subject: "m_1", outcome: "ok", joined: [open] },
      { subject: "whk_1", outcome: null, joined: [] },
    ],
    "the lines are there before",
  );
  await dying.kill();
  await Promise.all(cutOff);
  const { body } = await new Visitor(scene.url, cookie).post("audit");
  t.match(body.data, [
    { user: "test operator", subject: "whk_1", reason: "a test", outcome: null, joined: [] },
    {
      subject: "m_1",
      outcome: "ok",
      joined: [{ action: "publisher.v1/transaction/list", outcome: null, requests: 1 }],
    },
  ]);
});

t.test("audit - an absent API and a refused token are outcomes too", async (t) => {
  const api = await startFakeApi(() => ({ status: 401, body: { error: { code: "authentication_error" } } }));
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  const get = (id: string) => ada.post("publisher.v1/member/get", { id });
  t.match(await get("m_1"), { status: 503, body: { error: { data: { reason: "console_token" } } } });
  await api.close();
  t.match(await get("m_2"), { status: 503, body: { error: { data: { reason: "api_away" } } } });
  t.match(await linesOf(pipeline.store), [{ outcome: "unavailable" }, { outcome: "unavailable" }]);
});

t.test("audit - the page of one member makes one line, with all its look-ups", async (t) => {
  const api = await startFakeApi((path, body) => {
    if (path.endsWith("wallet.clip/list")) return { status: 503, body: { error: { code: "unavailable" } } };
    const { ref, id = "m_9" } = body as { ref?: string; id?: string };
    if (path.endsWith("member/get") && ref === "unknown") {
      return { status: 404, body: { error: { code: "not_found" } } };
    }
    return path.endsWith("member/get") ? { status: 200, body: { id } } : { status: 200, body: { data: [] } };
  });
  t.teardown(() => api.close());
  const scene = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const second = await scene.start({ STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await scene.visitor("operator");
  const elsewhere = new Visitor(second.url, ada.cookie);
  const bo = await scene.visitor("support", scene.publisher.organisationId);
  const lists = ["transaction/list", "wallet.cashback/list", "wallet.clip/list", "wallet.redemption/list"];
  await ada.post("publisher.v1/member/get", { id: "m_1" });
  await Promise.all(lists.map((route) => ada.post(`publisher.v1/${route}`, { member_id: "m_1" })));
  await elsewhere.post("publisher.v1/transaction/list", { member_id: "m_1", state: "cleared" });

  await ada.post("publisher.v1/member/get", { id: "m_2" });
  await bo.post("publisher.v1/member/get", { id: "m_1" });
  await ada.post("publisher.v1/webhook/update", { id: "m_1" }, { reason: "a test" });
  await ada.post("publisher.v1/webhook/update", { id: "m_1" }, { reason: "a test" });
  // By a ref: only the answer names the member, and no line has the ref.
  await ada.post("publisher.v1/member/get", { member_base_id: "mb_1", ref: "unknown" });
  await ada.post("publisher.v1/member/get", { member_base_id: "mb_1", ref: "ada@example.com" });
  await ada.post("publisher.v1/member/get", { id: "m_2", ref: "eve@example.com" });

  const lines = (await linesOf(scene.pipeline.store)).map(({ user, action, subject, outcome, joined }) => ({
    user,
    action,
    subject,
    outcome,
    joined: joined.toSorted(byAction),
  }));
  const one = {
    user: "test operator",
    action: "publisher.v1/member/get",
    outcome: "ok",
    joined: [] as object[],
  };
  const change = { ...one, action: "publisher.v1/webhook/update", subject: "m_1" };
  t.strictSame(lines, [
    {
      ...one,
      subject: "m_1",
      joined: [
        { action: "publisher.v1/transaction/list", outcome: "ok", requests: 2 },
        { action: "publisher.v1/wallet.cashback/list", outcome: "ok", requests: 1 },
        { action: "publisher.v1/wallet.clip/list", outcome: "unavailable", requests: 1 },
        { action: "publisher.v1/wallet.redemption/list", outcome: "ok", requests: 1 },
      ],
    },
    { ...one, subject: "m_2" },
    { ...one, user: "test support", subject: "m_1" },
    change,
    change,
    { ...one, subject: "mb_1", outcome: "not_found" },
    { ...one, subject: "m_9" },
    { ...one, subject: "m_2" },
  ]);
});

const byAction = (one: { action: string }, other: { action: string }) => (one.action < other.action ? -1 : 1);

t.test("audit - look-ups of the same user join a line for a minute from its first request", async (t) => {
  const store = await testStore();
  const organisationId = randomUUID();
  const identity = { user: "ada", role: "support", organisationId } as const;
  const about = { identity, organisationId, action: "a", subject: "m_1" };
  const line = { ...about, reason: undefined, changes: undefined, isJoining: true };
  const first = await beginLine(store, line);
  const joins = async (changes: object) => (await beginLine(store, { ...line, ...changes })).id === first.id;
  t.ok(await joins({}));
  t.notOk(await joins({ identity: { ...identity, user: "bo" } }));
  t.notOk(await joins({ identity: { ...identity, role: "operator" } }));
  t.notOk(await joins({ organisationId: undefined }));
  t.notOk(await joins({ subject: "M_1" }));
  t.notOk(await joins({ subject: undefined }), "a look-up without a subject");
  t.notOk(await joins({ isJoining: false }));
  const before = async (seconds: number) =>
    store`update console_audit set at = now() - ${seconds} * interval '1 second' where id = ${first.id}`;
  await store`delete from console_audit where id <> ${first.id}`;
  await before(30);
  t.ok(await joins({}), "the last request does not prolong it");
  await before(61);
  t.notOk(await joins({}));
  await store`delete from console_audit where id <> ${first.id}`;
  await before(-30);
  t.notOk(await joins({}), "and so is one with a future time");
});

t.test(
  "audit - the console looks for a line to join among those of the last minute, not in all of a user's",
  async (t) => {
    const store = await testStore();
    await store`
    insert into console_audit (at, user_name, role, action, subject, joined)
    select now() - n * interval '5 minutes', 'ada', 'operator', 'a', 'm_' || n % 2000, '{}'
    from generate_series(1, 20000) as n`;
    await store.script("vacuum analyze console_audit");
    const plans: string[] = [];
    const identity = { user: "ada", role: "operator", organisationId: undefined } as const;
    const about = { identity, organisationId: undefined, action: "a" };
    const line = { ...about, reason: undefined, changes: undefined, isJoining: true };
    await beginLine(explaining(store, plans), { ...line, subject: "m_nobody" });
    t.equal(plans.length, 1);
    t.match(plans[0], /Index Scan.* using console_audit_at_idx/);
    t.notMatch(plans[0], /Seq Scan|console_audit_user_idx/);
  },
);

t.test("audit - if look-ups come at the same moment, none is lost", async (t) => {
  const store = await testStore();
  const identity = { user: "ada", role: "operator", organisationId: undefined } as const;
  const about = { identity, organisationId: undefined, subject: "m_1" };
  const line = { ...about, reason: undefined, changes: undefined, isJoining: true };
  const outcomes = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? "not_found" : "ok"));
  await Promise.all(
    outcomes.map(async (outcome, i) => {
      const action = `list ${i % 2}`;
      const begun = await beginLine(store, { ...line, action });
      await completeLine(store, begun, { action, outcome, subject: "m_other" });
    }),
  );
  const lines = await linesOf(store);
  const ends = lines.flatMap(({ outcome, joined }) => [{ outcome, requests: 1 }, ...joined]);
  const count = (outcome: string | null) =>
    ends.filter((end) => end.outcome === outcome).reduce((sum, { requests }) => sum + requests, 0);
  t.strictSame([count("ok"), count("not_found"), count(null)], [40, 20, 0]);
  const isTheirs = ({ subject }: Entry) => subject === "m_1";
  t.ok(lines.every(isTheirs), "a line that may be joined keeps its subject");
});

t.test("audit - administrators see all lines, others their own, page by page", async (t) => {
  const { pipeline, publisher, visitor } = await openConsole(t, NO_API);
  const { store } = pipeline;
  const [ada, bo] = [await visitor("administrator"), await visitor("support", publisher.organisationId)];
  for (let i = 0; i < 130; i++) {
    const identity = {
      user: i % 2 ? "test support" : "another",
      role: "support",
      organisationId: undefined,
    } as const;
    const line = {
      organisationId: publisher.organisationId,
      action: "a",
      subject: `${i}`,
      reason: undefined,
      changes: undefined,
    };
    const request = { identity, ...line, isJoining: false };
    const ended = { action: "a", outcome: "ok", subject: undefined };
    await completeLine(store, await beginLine(store, request), ended);
  }
  const first = (await ada.post("audit")).body;
  t.strictSame(
    first.data.map(({ subject }: { subject: string }) => Number(subject)),
    down(129, 100),
  );
  t.match(first.data[0], {
    user: "test support",
    organisation: encodeId("org", publisher.organisationId),
  });
  const rest = (await ada.post("audit", { pagination: first.page })).body;
  t.strictSame(
    rest.data.map(({ subject }: { subject: string }) => Number(subject)),
    down(29, 30),
  );
  t.equal(rest.page.cursor, null);
  const own = (await bo.post("audit")).body;
  t.equal(own.data.length, 65);
  t.ok(own.data.every(({ user }: { user: string }) => user === "test support"));
  for (const cursor of [5, "x", "-1", "9".repeat(30), {}]) {
    t.equal((await ada.post("audit", { pagination: { cursor } })).status, 400, JSON.stringify(cursor));
  }
});

const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i);
