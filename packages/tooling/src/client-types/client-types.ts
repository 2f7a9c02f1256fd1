import { ERRORS, EVENT_TYPES, EventDelivery, LIMITS } from "#contract";
import { type ApiDescription, PUBLISHER_API, type PublicName, publicNameOf } from "#contract/openapi";
import { PLATFORM_API } from "#contract/platform";
import type { GeneratedFile } from "../root.ts";
import { indent, type Schema, type Side, TypeWriter } from "./type-writer.ts";

/*
 * The client's package is installed without the rest of this checkout, and its users need no schema library:
 * so it has the types of every route as plain TypeScript, and the tables' data about routes as plain values.
 * All of it is generated here from the contract.
 */

const FOLDER = "packages/client/src/generated/";

/** The committed sources of the client that are generated from the contract. */
export function clientFiles(): GeneratedFile[] {
  return [
    {
      file: `${FOLDER}publisher-api.ts`,
      text: HEADER + FILTER + apiSource(PUBLISHER_API, "Publisher", [EventDelivery]) + publisherValues(),
    },
    { file: `${FOLDER}platform-api.ts`, text: HEADER + apiSource(PLATFORM_API, "Platform", []) },
  ];
}

const HEADER =
  "// Generated from the contract by `npm run generate`. Do not edit.\n// biome-ignore-all lint: generated\n";

const FILTER = `
/** A filter of a list: a condition on one key, or several of which one or all must hold. At most 5 deep. */
export type Filter<K extends string> =
  | { readonly key: K; readonly eq: string }
  | { readonly key: K; readonly in: readonly string[] }
  | { readonly key: K; readonly nin: readonly string[] }
  | { readonly or: readonly Filter<K>[] }
  | { readonly and: readonly Filter<K>[] };
`;

/**
 * The types of one API, and its table's data about each route.
 * @param received schemas of what a caller receives without a route
 */
function apiSource(
  api: ApiDescription,
  prefix: "Publisher" | "Platform",
  received: readonly object[],
): string {
  const written = (side: Side, schema: Schema) => new TypeWriter(api.fieldDescriptions, side).typeOf(schema);
  const routes = Object.entries(api.routes);
  const requests = routes.map(
    ([route, { request }]) => `${JSON.stringify(route)}: ${written("request", request as Schema)};`,
  );
  const answers = routes.map(([route, { answers }]) => {
    const types = Object.values(answers).map((one) => written("answer", one as Schema));
    return `${JSON.stringify(route)}: ${types.join(" | ")};`;
  });
  const facts = routes.map(
    ([route, definition]) => `${JSON.stringify(route)}: ${factsOf(route, definition)},`,
  );
  return [
    namedTypes(api, received),
    "/** The body of each route's request. */",
    block(`export interface ${prefix}Requests`, requests),
    "",
    "/** The body of each route's success answers. */",
    block(`export interface ${prefix}Answers`, answers),
    "",
    "/**",
    " * What a call of each route has to know: whether it only reads, whether it honours an idempotency key, and where its",
    " * request takes the cursor of the next page, if its answer is one.",
    " */",
    `${block(`export const ${prefix.toUpperCase()}_ROUTES =`, facts)} as const;`,
    "",
    `/** Every path of the API begins with it. */`,
    `export const ${prefix.toUpperCase()}_PREFIX = ${JSON.stringify(api.prefix)};`,
    "",
  ].join("\n");
}

function factsOf(
  route: string,
  { access, repeatable, request, answers }: ApiDescription["routes"][string],
): string {
  const fields = (request as Schema).properties ?? {};
  const isPage = (answers[200] as Schema).properties?.page !== undefined;
  const cursor = "pagination" in fields ? "pagination" : "after" in fields ? "after" : undefined;
  return JSON.stringify({
    // The platform's tokens name their owner, not their rights.
    read: access === "read" || /\/(?:get|list)$/.test(route),
    keyed: repeatable !== undefined,
    ...(isPage && cursor !== undefined && { cursor }),
  });
}

/** Every named schema of an API, in the order of the names, as in its document. */
function namedTypes({ routes, fieldDescriptions }: ApiDescription, received: readonly object[]): string {
  const inRequests = namedSchemas(Object.values(routes).map(({ request }) => request));
  const named = [...namedSchemas([routes, received])].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
  const types = named.map(([publicName, schema]) => {
    const { name, description } = publicName;
    const side = inRequests.has(publicName) ? "request" : "answer";
    const body = new TypeWriter(fieldDescriptions, side).bodyOf(schema);
    const isObject = body.startsWith("{") && !body.includes("\n} | ");
    const head = isObject ? `export interface ${name} ${body}` : `export type ${name} = ${body};`;
    return `\n/** ${description} */\n${head}\n`;
  });
  return types.join("");
}

/** The named schemas anywhere in a value. */
function namedSchemas(value: unknown, found = new Map<PublicName, Schema>()) {
  if (typeof value !== "object" || value === null) return found;
  const publicName = publicNameOf(value);
  if (publicName !== undefined) found.set(publicName, value);
  for (const inner of Object.values(value)) namedSchemas(inner, found);
  return found;
}

function publisherValues(): string {
  const { eventsPerRequest, membersPerRequest, bodyBytes, pageLimitMax } = LIMITS;
  const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  const limits = { eventsPerRequest, membersPerRequest, bodyBytes, pageLimitMax };
  return `
/** Every code that an answer's \`error.code\` can have, and the status of such an answer. */
export const ERROR_STATUS = ${JSON.stringify(statuses)} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Types of events that a webhook can subscribe to. */
export const EVENT_TYPES = ${JSON.stringify(EVENT_TYPES)} as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Bounds of the API: entries of one request, bytes of its body, records of one page. */
export const LIMITS = ${JSON.stringify(limits)} as const;
`;
}

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${indent(lines.join("\n"))}\n}`;
}
