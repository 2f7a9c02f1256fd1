import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { ERRORS, type ErrorCode } from "../errors.ts";
import type { RouteDefinition } from "../route.ts";
import type { Validate } from "../schema-issue.ts";
import { named } from "../schemas/fields.ts";
import { PLATFORM_VALIDATORS, VALIDATORS } from "../validation/validators.js";
import type { ApiDescription } from "./api-description.ts";
import { openApiDocument } from "./document.ts";
import { PLATFORM_API } from "./platform/platform-api.ts";
import { PUBLISHER_API } from "./publisher/publisher-api.ts";
import { SchemaWriter } from "./schema-writer.ts";
import { TestDocument } from "./test-document.ts";

/** Tests of both APIs' documents. */
const APIS: ReadonlyArray<readonly [ApiDescription, Readonly<Record<string, Validate>>]> = [
  [PUBLISHER_API, VALIDATORS],
  [PLATFORM_API, PLATFORM_VALIDATORS],
];

const ALWAYS: readonly ErrorCode[] = [
  "bad_request",
  "authentication_error",
  "payload_too_large",
  "unsupported_media_type",
  "internal_error",
  "unavailable",
];

for (const [api, validators] of APIS) {
  const tested = new TestDocument(api);
  const { document, text } = tested;
  const routes = Object.keys(api.routes);
  const validatorOf = (route: string) => validators[route] as Validate;
  const of = (claim: string) => `openapi, ${api.prefix} - ${claim}`;

  t.test(of("the document keeps the OpenAPI 3.1 schema, and a broken one would not"), async (t) => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    t.ok(valid, JSON.stringify(errors));
    const broken = { ...structuredClone(document), paths: { "member/get": { post: { responses: [] } } } };
    t.notOk((await new Validator().validate(broken)).valid);
  });

  t.test(of("it has every route of the table, and nothing else"), async (t) => {
    t.strictSame(Object.keys(document.paths).sort(), routes.map((route) => api.prefix + route).sort());
    for (const item of Object.values(document.paths)) t.strictSame(Object.keys(item), ["post"]);
    const ids = routes.map((route) => tested.operationOf(route).operationId);
    t.equal(new Set(ids).size, ids.length, "an operationId is one operation's");
    const tags = routes.flatMap((route) => tested.operationOf(route).tags);
    t.strictSame(new Set(tags), new Set(Object.keys(api.resources)));
  });

  t.test(of("every reference leads somewhere, and every component is referred to"), async (t) => {
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
    t.notMatch(text, /\$defs/);
  });

  t.test(of("an operation has the answers that its route can give, by code"), async (t) => {
    const statusOf = (code: ErrorCode) => String(ERRORS[code].status);
    for (const [route, definition] of Object.entries(api.routes)) {
      const { access, answers, notFound, conflicts, repeatable }: RouteDefinition<string> = definition;
      const statuses = new Set([
        ...Object.keys(answers),
        ...ALWAYS.map(statusOf),
        ...(api.hasRateLimit ? ["429"] : []),
        ...(api.forbidden.accesses.includes(access) ? ["403"] : []),
        ...(notFound === undefined ? [] : ["404"]),
        ...(conflicts === undefined && repeatable === undefined ? [] : ["409"]),
      ]);
      t.strictSame(new Set(Object.keys(tested.operationOf(route).responses)), statuses, route);
    }
    const named = [...text.matchAll(/"code":\{"type":"string","const":"(\w+)"\}/g)].map(
      (match) => match[1] as string,
    );
    t.ok(named.length > routes.length);
    for (const code of new Set(named)) t.ok(code in ERRORS, code);
    t.notMatch(text, /method_not_allowed/, "a POST is never refused for its method");
  });

  t.test(of("the example of each route is a valid request"), async (t) => {
    t.strictSame(Object.keys(api.examples).sort(), routes.sort());
    for (const route of routes) {
      const validate = validatorOf(route);
      t.ok(validate(api.examples[route]), `${route} ${JSON.stringify(validate.errors)}`);
    }
  });

  t.test(of("its request schemas judge as the validators do"), async (t) => {
    for (const route of routes) {
      const validate = tested.requestValidator(route);
      for (const body of variants(api.examples[route])) {
        t.equal(validate(body), validatorOf(route)(body), `${route} ${JSON.stringify(body)?.slice(0, 80)}`);
      }
    }
  });

  t.test(of("every schema of it compiles, formats of ours are put into words"), async (t) => {
    for (const name of Object.keys(document.components.schemas)) {
      t.doesNotThrow(() => tested.compile(`/components/schemas/${name}`), name);
    }
    for (const name of Object.keys(document.webhooks)) {
      const pointer = `/webhooks/${name}/post/requestBody/content/application~1json/schema`;
      t.doesNotThrow(() => tested.compile(pointer), name);
    }
    for (const schema of objectsIn(document)) {
      if (typeof schema.format !== "string" || schema.format === "date-time") continue;
      t.match(schema.description, /^[A-Z].*\.$/s, schema.format);
    }
  });

  t.test(of("regression - an array names its items, and the server is an address"), async (t) => {
    const arrays = [...objectsIn(document)].filter(({ type }) => type === "array");
    t.ok(arrays.length > 0);
    t.strictSame(
      arrays.filter(({ items }) => items === undefined),
      [],
    );
    const [server, ...others] = document.servers as ReadonlyArray<{
      url: string;
      variables: Record<string, { default: string }>;
    }>;
    t.strictSame(others, []);
    const url = server?.url.replace(/\{(\w+)\}/g, (_, name: string) =>
      String(server.variables[name]?.default),
    );
    t.equal(new URL(api.prefix, url).href, `${api.origin}${api.prefix}`);
  });

  t.test(of("every description of a field is of a field that there is"), async (t) => {
    for (const field of Object.keys(api.fieldDescriptions)) t.match(text, `"${field}":{`, field);
  });

  t.test(of("it is equal for an equal table"), async (t) => {
    t.equal(JSON.stringify(openApiDocument(api)), text);
  });
}

t.test("openapi - two schemas with one name are refused", async (t) => {
  const deal = () => named("Deal", "An offer.").Object({});
  const writer = new SchemaWriter({});
  writer.write(deal(), "deal/get");
  t.throws(() => writer.write(deal(), "deal/list"), { message: "two schemas are named Deal" });
});

/** The body, and bodies with one fault or omission at any place. */
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
