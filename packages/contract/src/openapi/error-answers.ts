import type { TSchema } from "typebox";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { RouteDefinition } from "../route.ts";
import { IDEMPOTENCY_CONFLICTS } from "../routes.ts";
import { Type } from "../type-builder.ts";
import type { ApiDescription } from "./api-description.ts";
import { answerHeaders, earlyHeaders } from "./header-fields.ts";
import { pascalCase } from "./names.ts";
import type { SchemaWriter } from "./schema-writer.ts";

type Definition = RouteDefinition<string>;

const ACCEPTED = 202;

/** What `data` holds (contract, section 2), for the codes that are the same for every operation. */
const sharedData = ({ forbidden, hasRateLimit }: ApiDescription): Partial<Record<ErrorCode, TSchema>> => ({
  bad_request: Type.Object({
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: "JSON pointer into the body" }),
        message: Type.String(),
      }),
      { minItems: 1, maxItems: LIMITS.issuesPerAnswer },
    ),
    issues_total: Type.Optional(
      Type.Integer({ description: "How many issues there are, if not all are listed" }),
    ),
  }),
  authentication_error: Type.Object({}),
  authorization_error: Type.Object({ required: Type.Literal(forbidden.required) }),
  payload_too_large: Type.Object({ limit_bytes: Type.Integer() }),
  unsupported_media_type: Type.Object({}),
  ...(hasRateLimit && { rate_limited: Type.Object({}) }),
  internal_error: Type.Object({}),
  unavailable: Type.Object({}),
});

/** The additional header of an error's answer. */
const HEADER_OF = {
  authentication_error: "www-authenticate",
  rate_limited: "retry-after",
  unavailable: "retry-after",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Errors given before the token's owner is known, and so without its rate limit. */
const EARLY: readonly ErrorCode[] = ["authentication_error", "payload_too_large", "unsupported_media_type"];

/** The answers that operations share, as components. */
export function sharedErrorAnswers(api: ApiDescription, writer: SchemaWriter): Record<string, object> {
  const codes = Object.entries(sharedData(api)) as [ErrorCode, TSchema][];
  return Object.fromEntries(
    codes.map(([code, data]) => [pascalCase(code), errorAnswer(api, writer, code, data)]),
  );
}

/** Every error that the route can give, by status. */
export function errorAnswers(
  api: ApiDescription,
  route: Definition,
  writer: SchemaWriter,
): Record<string, object> {
  const codes = Object.keys(sharedData(api)) as ErrorCode[];
  const shared = codes
    .filter((code) => code !== "authorization_error" || api.forbidden.accesses.includes(route.access))
    .map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${pascalCase(code)}` }] as const);
  return Object.fromEntries([
    ...shared,
    ...badRequest(api, route, writer),
    ...notFound(api, route, writer),
    ...conflict(api, route, writer),
  ]);
}

/** Only if the route's own schema has more than the shared one. */
function badRequest(api: ApiDescription, { refusalData }: Definition, writer: SchemaWriter) {
  const more = refusalData?.[400];
  if (more === undefined) return [];
  const data = withMore(sharedData(api).bad_request as TSchema, more);
  return [[400, errorAnswer(api, writer, "bad_request", data)]] as const;
}

function notFound(api: ApiDescription, route: Definition, writer: SchemaWriter) {
  const { notFound, refusalData } = route;
  if (notFound === undefined) return [];
  const data = withMore(Type.Object({ resource: Type.Enum([...notFound]) }), refusalData?.[404]);
  const names = notFound.map((name) => name.replaceAll("_", " ")).join(" or ");
  const when = `no such ${names}`;
  return [[404, errorAnswer(api, writer, "not_found", data, when, preferenceOf(route))]] as const;
}

/** A refusal that lists single events names the preference that it follows, like a success. */
function preferenceOf({ answers, refusalData }: Definition): readonly "preference-applied"[] {
  return ACCEPTED in answers && refusalData !== undefined ? ["preference-applied"] : [];
}

function conflict(api: ApiDescription, route: Definition, writer: SchemaWriter) {
  const { conflicts = [], repeatable, refusalData } = route;
  const reasons = [...conflicts, ...(repeatable === undefined ? [] : IDEMPOTENCY_CONFLICTS)];
  if (reasons.length === 0) return [];
  const data = withMore(Type.Object({ reason: Type.Enum(reasons) }), refusalData?.[409]);
  const when = reasons.map((one) => `\`${one}\``).join(", ");
  return [[409, errorAnswer(api, writer, "conflict", data, when, preferenceOf(route))]] as const;
}

function withMore(data: TSchema, more: TSchema | undefined): TSchema {
  return more === undefined ? data : Type.Unsafe({ allOf: [data, more] });
}

function errorAnswer(
  api: ApiDescription,
  writer: SchemaWriter,
  code: ErrorCode,
  data: TSchema,
  when: string = ERRORS[code].when,
  also: readonly "preference-applied"[] = [],
) {
  const envelope = Type.Object({
    error: Type.Object({
      code: Type.Literal(code),
      message: Type.String(),
      data,
      trace_id: Type.String({ pattern: "^[0-9a-f]{32}$" }),
    }),
  });
  const header = HEADER_OF[code as keyof typeof HEADER_OF];
  const further = header === undefined ? also : [header, ...also];
  return {
    description: `\`${code}\`: ${when}`,
    headers: EARLY.includes(code) ? earlyHeaders(...further) : answerHeaders(api, ...further),
    content: { "application/json": { schema: writer.write(envelope, code) } },
  };
}
