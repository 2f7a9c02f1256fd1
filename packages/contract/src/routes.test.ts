import t from "tap";
import {
  isIdempotencyKey,
  PUBLISHER_PREFIX,
  REPEATABLE_ROUTES,
  type RepeatableRoute,
  ROUTES,
} from "./routes.ts";
import { VALIDATORS } from "./validation/validators.js";

t.test("routes - their access is that of the contract (section 5)", async (t) => {
  const access = Object.fromEntries(Object.entries(ROUTES).map(([route, { access }]) => [route, access]));
  t.strictSame(access, {
    "api-token/create": "write",
    "api-token/list": "read",
    "api-token/revoke": "write",
    "deal/get": "read",
    "deal/list": "read",
    "event/list": "read",
    "loyalty-program/get": "read",
    "loyalty-program/list": "read",
    "member-base/create": "write",
    "member-base/get": "read",
    "member-base/list": "read",
    "member-base/delete": "write",
    "member/list": "read",
    "member/bulk-delete": "write",
    "member/bulk-upsert": "write",
    "id/resolve": "read",
    "member/find": "read",
    "member/get": "read",
    "qualifying-purchase/list": "read",
    "transaction.batch/get": "read",
    "transaction.rejection/list": "read",
    "transaction/export": "read",
    "transaction/get": "read",
    "transaction/list": "read",
    "transaction/trace": "read",
    "transaction/ingest": "write",
    "wallet.cashback/list": "read",
    "wallet.clip/list": "read",
    "wallet.redemption/list": "read",
    "wallet.clip/save": "write",
    "wallet.stamp-collection/create": "write",
    "wallet.stamp-collection/get": "read",
    "wallet.stamp-collection/list": "read",
    "webhook/create": "write",
    "webhook/delete": "write",
    "webhook/get": "read",
    "webhook/list": "read",
    "webhook/rotate-secret": "write",
    "webhook/retry": "write",
    "webhook/test": "write",
    "webhook/update": "write",
    "webhook.delivery/get": "read",
    "webhook.delivery/list": "read",
    "webhook.delivery/replay": "write",
  });
  t.equal(PUBLISHER_PREFIX, "/publisher.v1/");
});

t.test("routes - each has a validator, a summary and a success answer", async (t) => {
  t.strictSame(Object.keys(VALIDATORS).sort(), Object.keys(ROUTES).sort());
  for (const [route, { summary, answers }] of Object.entries(ROUTES)) {
    t.match(route, /^[a-z-]+(\.[a-z-]+)?\/[a-z-]+$/);
    t.match(summary, /^[A-Z].*[^.]$/, route);
    t.ok(200 in answers, route);
  }
});

t.test("routes - every object in a request is closed: a typo is never dropped", async (t) => {
  for (const [route, { request }] of Object.entries(ROUTES)) {
    for (const [path, schema] of objectSchemas(JSON.parse(JSON.stringify(request)), "")) {
      t.ok("additionalProperties" in schema, `${route}${path}`);
    }
  }
});

/** The object schemas in a schema, by their places; a `not` needs no closing. */
function* objectSchemas(schema: unknown, path: string): Generator<[string, object]> {
  if (typeof schema !== "object" || schema === null) return;
  if ("type" in schema && schema.type === "object") yield [path, schema];
  for (const [key, inner] of Object.entries(schema)) {
    if (key !== "not") yield* objectSchemas(inner, `${path}/${key}`);
  }
}

t.test("idempotency key - 1 to 255 printable ASCII characters, nothing else", async (t) => {
  for (const key of ["k", "a b", "~", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "k".repeat(255)]) {
    t.ok(isIdempotencyKey(key), JSON.stringify(key));
  }
  for (const key of ["", "k".repeat(256), "a\tb", "a\nb", "k\n", "\u007f", "é", "a\u0000", "\u{1f600}"]) {
    t.notOk(isIdempotencyKey(key), JSON.stringify(key));
  }
});

t.test("repeatable routes - they are writes, and they seal an answer with a secret", async (t) => {
  for (const route of Object.keys(REPEATABLE_ROUTES) as RepeatableRoute[]) {
    const { secretInAnswer } = REPEATABLE_ROUTES[route];
    const { access, answers } = ROUTES[route];
    t.equal(access, "write", route);
    const shown = Object.keys(answers[200].properties);
    t.equal(shown.includes("token") || shown.includes("secret"), secretInAnswer, route);
  }
});
