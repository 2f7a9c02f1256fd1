import t from "tap";
import { PLATFORM_PREFIX, PLATFORM_ROUTES } from "./platform-routes.ts";
import { PLATFORM_VALIDATORS } from "./validation/validators.js";

t.test("platform routes - their access is that of the contract (section 8)", async (t) => {
  const access = Object.entries(PLATFORM_ROUTES).map(([route, { access }]) => [route, access]);
  t.strictSame(Object.fromEntries(access), {
    "loyalty-program/upsert": "platform",
    "loyalty-program/get": "platform",
    "loyalty-program/list": "platform",
    "loyalty-program/delete": "platform",
    "loyalty-program/dry-run": "platform",
    "deal/upsert": "platform",
    "deal/get": "platform",
    "deal/list": "platform",
    "deal/delete": "platform",
    "deal/dry-run": "platform",
    "retailer/upsert": "platform",
    "retailer/get": "platform",
    "retailer/list": "platform",
    "retailer/rotate-token": "platform",
    "retailer/delete": "platform",
    "payment/ingest": "retailer",
    "payment/get": "platform",
    "payment/list": "platform",
    "purchase/explain": "platform",
  });
  t.equal(PLATFORM_PREFIX, "/platform.v1/");
});

t.test("platform routes - each has a validator, a summary and a success answer", async (t) => {
  t.strictSame(Object.keys(PLATFORM_VALIDATORS).sort(), Object.keys(PLATFORM_ROUTES).sort());
  for (const [route, { summary, answers }] of Object.entries(PLATFORM_ROUTES)) {
    t.match(route, /^[a-z-]+\/[a-z-]+$/);
    t.match(summary, /^[A-Z].*[^.]$/, route);
    t.ok(200 in answers, route);
  }
});

t.test("platform routes - every object in a request is closed: a typo is never dropped", async (t) => {
  for (const [route, { request }] of Object.entries(PLATFORM_ROUTES)) {
    for (const [path, schema] of objectSchemas(JSON.parse(JSON.stringify(request)), "")) {
      t.ok("additionalProperties" in schema, `${route}${path}`);
    }
  }
});

/**
 * The object schemas in a schema, by their places. If `type` splits one into forms, it is closed if its forms
 * are.
 */
function* objectSchemas(schema: unknown, path: string): Generator<[string, object]> {
  if (typeof schema !== "object" || schema === null) return;
  if ("type" in schema && schema.type === "object" && !("discriminator" in schema)) yield [path, schema];
  for (const [key, inner] of Object.entries(schema)) yield* objectSchemas(inner, `${path}/${key}`);
}
