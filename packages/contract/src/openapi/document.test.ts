import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import t from "tap";
import { ERRORS } from "../errors.ts";
import { FORMATS } from "../formats.ts";
import { VALIDATORS } from "../generated/validators.ts";
import { REPEATABLE_ROUTES } from "../idempotency-key.ts";
import { PUBLISHER_PREFIX, ROUTES, type RouteDefinition, type RouteName } from "../routes.ts";
import { EVENTS } from "../schemas/events.ts";
import { openApiDocument } from "./document.ts";
import { EXAMPLES } from "./examples.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { NAMED_SCHEMAS } from "./named-schemas.ts";

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: ReadonlyArray<{ readonly $ref: string }>;
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
}

const document = openApiDocument();
const text = JSON.stringify(document);
const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];
const definitionOf = (route: RouteName): RouteDefinition => ROUTES[route];
const operationOf = (route: RouteName) => document.paths[PUBLISHER_PREFIX + route]?.post as Operation;
const asPointer = (path: string) => path.replaceAll("~", "~0").replaceAll("/", "~1");

function compiler(): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.test);
  ajv.addFormat("date-time", FORMATS.timestamp.test);
  ajv.addVocabulary(["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"]);
  ajv.addSchema(document, "document");
  return (pointer) => ajv.compile({ $ref: `document#${pointer}` });
}
const compile = compiler();
const requestValidator = (route: RouteName) =>
  compile(`/paths/${asPointer(PUBLISHER_PREFIX + route)}/post/requestBody/content/application~1json/schema`);

t.test("openapi - the document keeps the OpenAPI 3.1 schema, and a broken one would not", async (t) => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
  t.ok(valid, JSON.stringify(errors));
  const broken = { ...structuredClone(document), paths: { "member/get": { post: { responses: [] } } } };
  t.notOk((await new Validator().validate(broken)).valid);
});

t.test("openapi - it has every route of the table, and nothing else", async (t) => {
  t.strictSame(
    Object.keys(document.paths).sort(),
    ROUTE_NAMES.map((route) => PUBLISHER_PREFIX + route).sort(),
  );
  for (const item of Object.values(document.paths)) t.strictSame(Object.keys(item), ["post"]);
  const ids = ROUTE_NAMES.map((route) => operationOf(route).operationId);
  t.equal(new Set(ids).size, ids.length, "an operationId is one operation's");
  t.ok(ids.includes("walletStampCollectionCreate"));
});

t.test("openapi - it has every type of event, and nothing else", async (t) => {
  t.strictSame(Object.keys(document.webhooks).sort(), Object.keys(EVENTS).sort());
});

t.test("openapi - every reference leads somewhere, and every component is referred to", async (t) => {
  const references = new Set([...text.matchAll(/"\$ref":"#([^"]+)"/g)].map((match) => match[1] as string));
  for (const pointer of references) {
    const found = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
    t.ok(found, pointer);
  }
  for (const [kind, components] of Object.entries(document.components)) {
    if (kind === "securitySchemes") continue;
    for (const name of Object.keys(components)) t.ok(references.has(`/components/${kind}/${name}`), name);
  }
  t.strictSame(
    Object.keys(NAMED_SCHEMAS).filter((name) => !(name in document.components.schemas)),
    [],
    "every name is used",
  );
  t.notMatch(text, /\$defs/);
});

t.test("openapi - an operation has the answers that its route can give, by code", async (t) => {
  const statusOf = (code: keyof typeof ERRORS) => String(ERRORS[code].status);
  for (const route of ROUTE_NAMES) {
    const { access, answers, notFound, conflicts, repeatable } = definitionOf(route);
    const statuses = new Set([
      ...Object.keys(answers),
      ...(
        ["bad_request", "authentication_error", "payload_too_large", "unsupported_media_type"] as const
      ).map(statusOf),
      ...(["rate_limited", "internal_error", "unavailable"] as const).map(statusOf),
      ...(access === "write" ? ["403"] : []),
      ...(notFound === undefined ? [] : ["404"]),
      ...(conflicts === undefined && repeatable === undefined ? [] : ["409"]),
    ]);
    t.strictSame(new Set(Object.keys(operationOf(route).responses)), statuses, route);
  }
  const named = [...text.matchAll(/"code":\{"type":"string","const":"(\w+)"\}/g)].map(
    (match) => match[1] as string,
  );
  t.ok(named.length > ROUTE_NAMES.length);
  for (const code of new Set(named)) t.ok(code in ERRORS, code);
  t.notMatch(text, /method_not_allowed/, "a POST is never refused for its method");
});

t.test("openapi - a route that takes a header says so, no other does", async (t) => {
  for (const route of ROUTE_NAMES) {
    const names = (operationOf(route).parameters ?? []).map(({ $ref }) => $ref.split("/").at(-1));
    t.equal(names.includes("idempotency-key"), route in REPEATABLE_ROUTES, route);
    t.equal(names.includes("prefer"), route === "transaction/ingest", route);
  }
});

t.test("openapi - the example of each route is a valid request", async (t) => {
  t.strictSame(Object.keys(EXAMPLES).sort(), [...ROUTE_NAMES].sort());
  for (const route of ROUTE_NAMES) {
    t.ok(VALIDATORS[route](EXAMPLES[route]), `${route} ${JSON.stringify(VALIDATORS[route].errors)}`);
  }
});

t.test("openapi - its request schemas judge as the validators do", async (t) => {
  for (const route of ROUTE_NAMES) {
    const validate = requestValidator(route);
    for (const body of variants(EXAMPLES[route])) {
      t.equal(validate(body), VALIDATORS[route](body), `${route} ${JSON.stringify(body)?.slice(0, 80)}`);
    }
  }
});

t.test("openapi - hoisted filters refuse what is nested too deep", async (t) => {
  const validate = requestValidator("member/list");
  const nested = (depth: number): object =>
    depth === 0 ? { key: "ref", eq: "a" } : { or: [nested(depth - 1)] };
  t.ok(validate({ member_base_id: "mb", filters: [nested(5)] }));
  t.notOk(validate({ member_base_id: "mb", filters: [nested(6)] }));
  t.notOk(validate({ member_base_id: "mb", filters: [{ key: "name", eq: "a" }] }), "of another list");
});

t.test("openapi - every schema of it compiles, formats of ours are put into words", async (t) => {
  for (const name of Object.keys(document.components.schemas)) {
    t.doesNotThrow(() => compile(`/components/schemas/${name}`), name);
  }
  for (const name of Object.keys(document.webhooks)) {
    const pointer = `/webhooks/${name}/post/requestBody/content/application~1json/schema`;
    t.doesNotThrow(() => compile(pointer), name);
  }
  for (const schema of objectsIn(document)) {
    if (typeof schema.format !== "string" || schema.format === "date-time") continue;
    t.match(schema.description, /^[A-Z].*\.$/s, schema.format);
  }
});

t.test("openapi - a delivery is judged by its events, and must hold the one that it is about", async (t) => {
  const validate = compile("/webhooks/webhook.test/post/requestBody/content/application~1json/schema");
  const tested = { event_id: "evt_1", type: "webhook.test", timestamp: "2026-03-01T10:00:00.000Z" };
  const rejected = {
    ...tested,
    type: "transaction.rejected",
    transaction_ref: "a",
    code: "not_found",
    reason: "not_found",
    batch_id: "batch_1",
  };
  t.ok(validate({ events: [rejected, tested] }));
  t.notOk(validate({ events: [rejected] }));
  t.notOk(validate({ events: [tested, { ...rejected, code: "other" }] }));
  t.notOk(validate({ events: [] }));
});

t.test("openapi - every description of a field is of a field that there is", async (t) => {
  for (const field of Object.keys(FIELD_DESCRIPTIONS)) t.match(text, `"${field}":{`, field);
});

t.test("openapi - it is equal for an equal table", async (t) => {
  t.equal(JSON.stringify(openApiDocument()), text);
});

/** The body, and what it becomes when one thing is wrong or left out at any place in it. */
function* variants(body: unknown): Generator<unknown> {
  yield body;
  for (const wrong of [null, 1, "x", [], { typo: 1 }]) yield wrong;
  if (Array.isArray(body)) {
    for (const [index, inner] of body.entries()) {
      for (const changed of variants(inner)) yield body.with(index, changed);
    }
  } else if (typeof body === "object" && body !== null) {
    yield { ...body, typo: 1 };
    for (const [key, inner] of Object.entries(body)) {
      const { [key]: _, ...without } = body as Record<string, unknown>;
      yield without;
      for (const changed of variants(inner)) yield { ...body, [key]: changed };
    }
  }
}

function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}
