import t from "tap";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import { testStore, waitFor } from "#test-support";
import { beginLine, completeLine, sweepAudit } from "./audit.ts";
import { openConsole, startFakeApi, Visitor } from "./test-console.ts";

interface Line {
  readonly user_name: string;
  readonly role: string;
  readonly organisation_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly reason: string | null;
  readonly outcome: string | null;
}

const linesOf = (store: Store) =>
  store<Line[]>`
    select user_name, role, organisation_id, action, subject, reason, outcome from console_audit order by id`;

t.test("audit - every look-up and every change is a line, and nothing else is", async (t) => {
  const api = await startFakeApi((path) => {
    if (path.endsWith("member/find")) return { status: 200, body: { data: [{ id: "m_1" }, { id: "m_2" }] } };
    if (path.endsWith("member/get")) return { status: 200, body: { id: "m_3", ref: "ada@example.com" } };
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
  const line = { user_name: "test operator", role: "operator", organisation_id: publisher.organisationId };
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
    },
  ]);
  const everything = await pipeline.store<{ row: string }[]>`select a::text as row from console_audit a`;
  t.notMatch(everything.map(({ row }) => row).join(), "ada@example.com", "a ref is in no line");
});

t.test("audit - a change without a reason is not made", async (t) => {
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

t.test("audit - what cannot be written down is not done", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: {} }));
  t.teardown(() => api.close());
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  await pipeline.store.script("alter table console_audit rename to console_audit_away");
  t.match(await ada.post("publisher.v1/member/get", { id: "m_1" }), { status: /500|503/ });
  t.match(await ada.post("publisher.v1/webhook/update", { id: "whk_1" }, { reason: "a test" }), {
    status: /500|503/,
  });
  t.strictSame(api.asked, [], "nobody was asked");
  t.equal((await ada.post("publisher.v1/webhook/list")).status, 200, "what needs no line goes on");
});

t.test("audit - a console that is killed in the middle leaves a line without an end", async (t) => {
  const api = await startFakeApi(() => undefined);
  t.teardown(() => api.close());
  const scene = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await scene.visitor("operator");
  const cutOff = ada.post("publisher.v1/webhook/update", { id: "whk_1" }, { reason: "a test" });
  const rejected = t.rejects(cutOff, "the caller is cut off");
  await waitFor(() => api.asked.length === 1, { message: "the API was not asked" });
  t.match(
    await linesOf(scene.pipeline.store),
    [{ subject: "whk_1", outcome: null }],
    "the line is there before",
  );
  await scene.console.kill();
  await rejected;
  const next = await scene.start({});
  const { body } = await new Visitor(next.url as string, ada.cookie).post("audit");
  t.match(body.entries, [{ user: "test operator", subject: "whk_1", reason: "a test", outcome: null }]);
});

t.test("audit - an API that is away, and a token that it refuses, are outcomes too", async (t) => {
  const api = await startFakeApi(() => ({ status: 401, body: { error: { code: "authentication_error" } } }));
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  const get = () => ada.post("publisher.v1/member/get", { id: "m_1" });
  t.match(await get(), { status: 503, body: { error: { data: { reason: "console_token" } } } });
  await api.close();
  t.match(await get(), { status: 503, body: { error: { data: { reason: "api_away" } } } });
  t.match(await linesOf(pipeline.store), [{ outcome: "unavailable" }, { outcome: "unavailable" }]);
});

t.test("audit - administrators see all lines, others their own, page by page", async (t) => {
  const { pipeline, publisher, visitor } = await openConsole(t);
  const { store } = pipeline;
  const [ada, bo] = [await visitor("administrator"), await visitor("support", publisher.organisationId)];
  for (let i = 0; i < 130; i++) {
    const identity = {
      user: i % 2 ? "test support" : "somebody",
      role: "support",
      organisationId: undefined,
    } as const;
    const line = {
      organisationId: publisher.organisationId,
      action: "a",
      subject: `${i}`,
      reason: undefined,
    };
    await completeLine(store, await beginLine(store, { identity, ...line }), "ok", undefined);
  }
  const first = (await ada.post("audit")).body;
  t.strictSame(
    first.entries.map(({ subject }: { subject: string }) => Number(subject)),
    down(129, 100),
  );
  t.match(first.entries[0], {
    user: "test support",
    organisation: encodeId("org", publisher.organisationId),
  });
  const rest = (await ada.post("audit", { cursor: first.cursor })).body;
  t.strictSame(
    rest.entries.map(({ subject }: { subject: string }) => Number(subject)),
    down(29, 30),
  );
  t.equal(rest.cursor, null);
  const own = (await bo.post("audit")).body;
  t.equal(own.entries.length, 65);
  t.ok(own.entries.every(({ user }: { user: string }) => user === "test support"));
  for (const cursor of [5, "x", "-1", "9".repeat(30), {}]) {
    t.equal((await ada.post("audit", { cursor })).status, 400, JSON.stringify(cursor));
  }
});

const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i);

t.test("audit - lines leave when they have been kept long enough", async (t) => {
  const store = await testStore();
  const identity = { user: "ada", role: "operator", organisationId: undefined } as const;
  const line = { identity, organisationId: undefined, action: "a", subject: undefined, reason: undefined };
  const [old, young] = [await beginLine(store, line), await beginLine(store, line)];
  await store`update console_audit set at = now() - interval '10 days' where id = ${old}`;
  await store`update console_audit set at = now() - interval '9 days' where id = ${young}`;
  t.equal(await sweepAudit(store, 10), 1);
  t.equal(await sweepAudit(store, 10), 0);
  t.strictSame(await store`select id from console_audit`, [{ id: young }]);
});
