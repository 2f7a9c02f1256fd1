import t from "tap";
import { ROUTES } from "#contract";
import { PLATFORM_ROUTES } from "#contract/platform";
import { encodeId } from "#domain";
import { PLATFORM_RIGHTS, PUBLISHER_RIGHTS } from "./rights.ts";
import { mayActAs, ROLES, type Role } from "./roles.ts";
import { openConsole, startFakeApi, Visitor } from "./test-console.ts";

/** Said once more by hand: the least role for each route that is not for support. All others of the table are. */
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
/** What nobody gets through the console, whoever asks. */
const NOBODY = [
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
const leastFor = (route: string): Role =>
  ADMINISTRATORS.includes(route) ? "administrator" : OPERATORS.includes(route) ? "operator" : "support";

t.test("rights - every route of the two APIs is either in the table or out of reach", async (t) => {
  const all = [
    ...Object.keys(ROUTES).map((route) => `publisher.v1/${route}`),
    ...Object.keys(PLATFORM_ROUTES).map((route) => `platform.v1/${route}`),
  ];
  const left = all.filter((route) => !forwarded.includes(route) && !NOBODY.includes(route));
  t.strictSame(left, [], "a new route wants a decision");
  t.strictSame(
    forwarded.filter((route) => !all.includes(route)),
    [],
    "and the table names no route that is gone",
  );
});

t.test("rights - whatever changes something is a change, and needs a token that may write", async (t) => {
  for (const [route, { kind, access }] of Object.entries(PUBLISHER_RIGHTS)) {
    const needs = ROUTES[route as keyof typeof ROUTES].access;
    t.equal(access, needs, route);
    t.equal(kind === "change", needs === "write", route);
  }
  for (const [route, { kind }] of Object.entries(PLATFORM_RIGHTS)) {
    t.equal(kind === "change", /upsert|delete/.test(route), route);
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
  const nobody = new Visitor(scene.url);
  for (const route of forwarded) t.equal((await nobody.post(route)).status, 401, `nobody: ${route}`);
  for (const role of ROLES) {
    const visitor = await scene.visitor(role, role === "support" ? organisationId : undefined);
    for (const route of forwarded) {
      api.asked.length = 0;
      const { status } = await visitor.post(route, {}, { reason: "a test" });
      const isAllowed = mayActAs(role, leastFor(route));
      t.equal(status, isAllowed ? 200 : 403, `${role}: ${route}`);
      const asked = api.asked.map(({ path, token }) => [path, token]);
      t.strictSame(asked, isAllowed ? [[`/${route}`, `Bearer ${tokenFor(route)}`]] : [], `${role}: ${route}`);
    }
    for (const route of NOBODY) t.equal((await visitor.post(route)).status, 404, `${role}: ${route}`);
  }
});

t.test("rights - what the console reads, it reads with the token that can do least", async (t) => {
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
  await ada.post("publisher.v1/webhook/update", { id: "whk_1" }, { reason: "a test" });
  t.strictSame(
    api.asked.map(({ token }) => token),
    tokens.map((token) => `Bearer ${token}`),
  );
});

t.test("organisations - support sees its own, and nobody sees what is of another one", async (t) => {
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
  t.match((await operator.post("session")).body, { organisation: null });
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
});
