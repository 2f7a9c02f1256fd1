import t from "tap";
import { ROUTES } from "#contract";
import { PLATFORM_ROUTES } from "#contract/platform";
import { encodeId } from "#domain";
import { admitBody, PLATFORM_RIGHTS, PUBLISHER_RIGHTS, type Right } from "./rights.ts";
import { mayActAs, ROLES, type Role } from "./roles.ts";
import { openConsole, startFakeApi, Visitor } from "./test-console.ts";

/**
 * Written a second time by hand: the least role for each route that is not for support. All other routes of
 * the table are for support.
 */
const OPERATORS = [
  "publisher.v1/webhook/update",
  "publisher.v1/webhook/test",
  "publisher.v1/webhook/retry",
  "publisher.v1/webhook.delivery/replay",
  "platform.v1/loyalty-program/get",
  "platform.v1/loyalty-program/list",
  "platform.v1/loyalty-program/dry-run",
  "platform.v1/deal/get",
  "platform.v1/deal/list",
  "platform.v1/deal/dry-run",
  "platform.v1/retailer/get",
  "platform.v1/retailer/list",
];
const ADMINISTRATORS = [
  "platform.v1/loyalty-program/upsert",
  "platform.v1/loyalty-program/delete",
  "platform.v1/deal/upsert",
  "platform.v1/deal/delete",
  "platform.v1/retailer/upsert",
  "platform.v1/retailer/delete",
];
/** Routes that no role gets through the console. */
const FORBIDDEN = [
  "publisher.v1/transaction/ingest",
  "publisher.v1/transaction/export",
  "publisher.v1/api-token/create",
  "publisher.v1/api-token/list",
  "publisher.v1/api-token/revoke",
  "publisher.v1/webhook/create",
  "publisher.v1/webhook/delete",
  "publisher.v1/webhook/rotate-secret",
  "publisher.v1/member/bulk-upsert",
  "publisher.v1/member/bulk-delete",
  "publisher.v1/member/list",
  "publisher.v1/member-base/create",
  "publisher.v1/member-base/delete",
  "publisher.v1/wallet.stamp-collection/create",
  "publisher.v1/wallet.clip/save",
  "platform.v1/payment/ingest",
  "platform.v1/purchase/explain",
  "platform.v1/retailer/rotate-token",
  "publisher.v1/member/../api-token/list",
  "publisher.v1//member/find",
  "livez",
  "",
];

const forwarded = [
  ...Object.keys(PUBLISHER_RIGHTS).map((route) => `publisher.v1/${route}`),
  ...Object.keys(PLATFORM_RIGHTS).map((route) => `platform.v1/${route}`),
];
/** A body for a look-up of this route. */
function aboutSomething(route: string): object {
  const { kind, subject = [] } = (PUBLISHER_RIGHTS[route.slice("publisher.v1/".length)] ??
    PLATFORM_RIGHTS[route.slice("platform.v1/".length)] ??
    {}) as Partial<Right>;
  return kind === "look-up" && subject[0] !== undefined ? { [subject[0]]: "x" } : {};
}
const leastFor = (route: string): Role =>
  ADMINISTRATORS.includes(route) ? "administrator" : OPERATORS.includes(route) ? "operator" : "support";

t.test("rights - every route of the two APIs is either in the table or out of reach", async (t) => {
  const all = [
    ...Object.keys(ROUTES).map((route) => `publisher.v1/${route}`),
    ...Object.keys(PLATFORM_ROUTES).map((route) => `platform.v1/${route}`),
  ];
  const left = all.filter((route) => !forwarded.includes(route) && !FORBIDDEN.includes(route));
  t.strictSame(left, [], "a new route needs a decision");
  t.strictSame(
    forwarded.filter((route) => !all.includes(route)),
    [],
    "and the table names no route that is gone",
  );
});

t.test("rights - a route that changes something is a change, and needs a write token", async (t) => {
  for (const [route, { kind, access }] of Object.entries(PUBLISHER_RIGHTS)) {
    const needs = ROUTES[route as keyof typeof ROUTES].access;
    t.equal(access, needs, route);
    t.equal(kind === "change", needs === "write", route);
  }
  for (const [route, { kind }] of Object.entries(PLATFORM_RIGHTS)) {
    t.equal(kind === "change", /upsert|delete/.test(route), route);
  }
});

/** Written a second time by hand: fields of changes that need a higher role than their route. */
const FIELDS_OF_ADMINISTRATORS = [
  "webhook/update url",
  "webhook/update events",
  "webhook/update description",
];

t.test("rights - each field of a change has a role, and each field with a role exists", async (t) => {
  const tables = [
    [PUBLISHER_RIGHTS, ROUTES],
    [PLATFORM_RIGHTS, PLATFORM_ROUTES],
  ] as const;
  for (const [rights, routes] of tables) {
    for (const [route, { role, kind, fields, changes }] of Object.entries(rights)) {
      if (kind !== "change") continue;
      const { request } = (routes as unknown as Record<string, { request: { properties: object } }>)[
        route
      ] as { request: { properties: object } };
      t.strictSame(Object.keys(fields ?? {}).sort(), Object.keys(request.properties).sort(), route);
      for (const [field, least] of Object.entries(fields ?? {})) {
        const isHigher = FIELDS_OF_ADMINISTRATORS.includes(`${route} ${field}`);
        t.equal(least, isHigher ? "administrator" : role, `${route} ${field}`);
      }
      const isRecord = /^(?:webhook|loyalty-program|deal|retailer)\/(?:update|upsert|delete)$/.test(route);
      t.equal(changes !== undefined, isRecord, `${route}: the audit lists its changes`);
    }
  }
});

t.test("rights - an operator pauses a webhook, and changes neither its URL nor its events", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: { id: "whk_1", url: "https://a.example" } }));
  t.teardown(() => api.close());
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const [operator, administrator] = [await visitor("operator"), await visitor("administrator")];
  const update = (who: Visitor, body: object) =>
    who.post("publisher.v1/webhook/update", { id: "whk_1", ...body }, { reason: "just pausing" });
  for (const body of [
    { url: "https://b.example" },
    { state: "paused", url: "https://b.example" },
    { state: "paused", events: ["cashback.created"] },
    { description: "x" },
  ]) {
    const refused = { status: 403, body: { error: { data: { reason: "role", role: "administrator" } } } };
    t.match(await update(operator, body), refused, JSON.stringify(body));
  }
  for (const body of [{ secret: "whsec_x" }, { __proto__x: 1 }, { constructor: 1 }]) {
    t.match(await update(operator, body), { status: 400 }, JSON.stringify(body));
    t.match(await update(administrator, body), { status: 400 }, JSON.stringify(body));
  }
  t.strictSame(api.asked, [], "none of the requests was passed on");
  t.strictSame(await pipeline.store`select from console_audit`, []);
  t.match(await update(operator, { state: "paused" }), { status: 200 });
  t.match(await update(administrator, { url: "https://b.example" }), { status: 200 });
});

t.test("rights - a look-up without a member or a purchase is refused", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: { data: [{ member_id: "m_1" }] } }));
  t.teardown(() => api.close());
  const { pipeline, publisher, visitor } = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
  });
  const support = await visitor("support", publisher.organisationId);
  const ask = (route: string, body: object) => support.post(`publisher.v1/${route}`, body);
  for (const [route, body] of [
    ["event/list", {}],
    ["event/list", { since: "2026-01-01T00:00:00Z", types: ["cashback.created"] }],
    ["event/list", { transaction_ref: "" }],
    ["event/list", { transaction_ref: null }],
    ["transaction.rejection/list", {}],
    ["transaction.rejection/list", { external_id: "", pagination: { limit: 100 } }],
  ] as const) {
    t.match(await ask(route, body), { status: 400, body: { error: { data: { issues: [{}] } } } }, route);
  }
  t.strictSame(api.asked, []);
  t.equal((await ask("event/list", { transaction_ref: "tx-1" })).status, 200);
  t.equal((await ask("transaction.rejection/list", { external_id: "tx-2" })).status, 200);
  t.equal((await ask("transaction.rejection/list", { member_id: "m_1" })).status, 200);
  const subjects = await pipeline.store`select subject from console_audit order by id`;
  t.strictSame(subjects, [{ subject: "tx-1" }, { subject: "tx-2" }, { subject: "m_1" }]);
  for (const [route, right] of Object.entries(PUBLISHER_RIGHTS)) {
    if (right.kind !== "look-up" || right.namedByAnswer) continue;
    t.throws(() => admitBody(right, {}, { role: "administrator" }), { code: "bad_request" }, route);
  }
});

t.test("rights - each route, for each role, through the running console", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: { data: [] } }));
  t.teardown(() => api.close());
  const scene = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: "platform-token",
  });
  const { organisationId, token } = scene.publisher;
  const tokenFor = (route: string) => (route.startsWith("platform") ? "platform-token" : token);
  const stranger = new Visitor(scene.url);
  for (const route of forwarded) t.equal((await stranger.post(route)).status, 401, `no session: ${route}`);
  for (const role of ROLES) {
    const visitor = await scene.visitor(role, role === "support" ? organisationId : undefined);
    for (const route of forwarded) {
      api.asked.length = 0;
      const { status } = await visitor.post(route, aboutSomething(route), { reason: "a test" });
      const isAllowed = mayActAs(role, leastFor(route));
      t.equal(status, isAllowed ? 200 : 403, `${role}: ${route}`);
      const asked = api.asked.map(({ path, token }) => [path, token]);
      t.strictSame(asked, isAllowed ? [[`/${route}`, `Bearer ${tokenFor(route)}`]] : [], `${role}: ${route}`);
    }
    for (const route of FORBIDDEN) t.equal((await visitor.post(route)).status, 404, `${role}: ${route}`);
  }
});

t.test("rights - the console reads with the least powerful token", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: { data: [] } }));
  t.teardown(() => api.close());
  const tokens: string[] = [];
  const scene = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url }, async (pipeline) => {
    const reader = await pipeline.newPublisher("read");
    await pipeline.store`
      update api_tokens set organisation_id = ${pipeline.publisher.organisationId}
      where organisation_id = ${reader.organisationId}`;
    tokens.push(reader.token, pipeline.publisher.token);
    return tokens;
  });
  const ada = await scene.visitor("operator");
  await ada.post("publisher.v1/webhook/list");
  await ada.post("publisher.v1/webhook/test", { id: "whk_1" }, { reason: "a test" });
  t.strictSame(
    api.asked.map(({ token }) => token),
    tokens.map((token) => `Bearer ${token}`),
  );
});

t.test(
  "organisations - support sees its own organisation, and no user sees records of another one",
  async (t) => {
    let other = { organisationId: "", token: "" };
    const scene = await openConsole(t, {}, async (pipeline) => {
      other = await pipeline.newPublisher();
      return [pipeline.publisher.token, other.token];
    });
    const mine = encodeId("org", scene.publisher.organisationId);
    const theirs = encodeId("org", other.organisationId);
    const support = await scene.visitor("support", scene.publisher.organisationId);
    const { body: session } = await support.post("session");
    t.strictSame(
      session.organisations.map(({ id }: { id: string }) => id),
      [mine],
    );
    t.equal((await support.post("publisher.v1/webhook/list")).status, 200, "there is only one to choose");
    for (const organisation of [theirs, "org_00000000000000000000000000", "x"]) {
      t.match(await support.post("publisher.v1/webhook/list", {}, { organisation }), { status: 403 });
    }
    const operator = await scene.visitor("operator");
    t.match(await operator.post("publisher.v1/webhook/list"), {
      status: 400,
      body: { error: { data: { reason: "organisation_required" } } },
    });
    const made = await fetch(`${scene.pipeline.edge.url}/publisher.v1/member-base/create`, {
      method: "POST",
      headers: { authorization: `Bearer ${other.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Theirs" }),
    });
    const { id } = (await made.json()) as { id: string };
    const get = (organisation: string) =>
      operator.post("publisher.v1/member-base/get", { id }, { organisation });
    t.equal((await get(theirs)).status, 200);
    t.equal((await get(mine)).status, 404);
    t.equal((await support.post("publisher.v1/member-base/get", { id })).status, 404);
  },
);
