import Type, { type TSchema } from "typebox";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { IDEMPOTENCY_CONFLICTS } from "../idempotency-key.ts";
import type { RouteDefinition } from "../routes.ts";
import { answerHeaders, earlyHeaders } from "./header-fields.ts";
import { pascalCase } from "./pascal-case.ts";
import type { SchemaWriter } from "./schema-writer.ts";

/** What `data` holds (contract, section 2), for the codes that any operation can give alike. */
const SHARED_DATA = {
  bad_request: Type.Object({
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: "JSON pointer into the body" }),
        message: Type.String(),
      }),
      { minItems: 1 },
    ),
  }),
  authentication_error: Type.Object({}),
  authorization_error: Type.Object({ required: Type.Literal("write") }),
  payload_too_large: Type.Object({ limit_bytes: Type.Integer() }),
  unsupported_media_type: Type.Object({}),
  rate_limited: Type.Object({}),
  internal_error: Type.Object({}),
  unavailable: Type.Object({}),
} as const satisfies Partial<Record<ErrorCode, TSchema>>;

type SharedCode = keyof typeof SHARED_DATA;
const SHARED_CODES = Object.keys(SHARED_DATA) as SharedCode[];

/** The header that an error's answer has besides those of every answer. */
const HEADER_OF = {
  authentication_error: "www-authenticate",
  rate_limited: "retry-after",
  unavailable: "retry-after",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Given before it is known whose the token is, so that its rate is not known either. */
const EARLY: readonly ErrorCode[] = ["authentication_error", "payload_too_large", "unsupported_media_type"];

/** The answers that operations share, as components. */
export function sharedErrorAnswers(writer: SchemaWriter): Record<string, object> {
  return Object.fromEntries(
    SHARED_CODES.map((code) => [pascalCase(code), errorAnswer(writer, code, SHARED_DATA[code])]),
  );
}

/** Every error that the route can give, by status. */
export function errorAnswers(route: RouteDefinition, writer: SchemaWriter): Record<string, object> {
  const shared = SHARED_CODES.filter(
    (code) => code !== "authorization_error" || route.access === "write",
  ).map((code) => [ERRORS[code].status, { $ref: `#/components/responses/${pascalCase(code)}` }] as const);
  return Object.fromEntries([...shared, ...notFound(route, writer), ...conflict(route, writer)]);
}

function notFound({ notFound, refusalData }: RouteDefinition, writer: SchemaWriter) {
  if (notFound === undefined) return [];
  const data = withMore(Type.Object({ resource: Type.Enum([...notFound]) }), refusalData?.[404]);
  const names = notFound.map((name) => name.replaceAll("_", " ")).join(" or ");
  return [[404, errorAnswer(writer, "not_found", data, `no such ${names}`)]] as const;
}

function conflict({ conflicts = [], repeatable, refusalData }: RouteDefinition, writer: SchemaWriter) {
  const reasons = [...conflicts, ...(repeatable === undefined ? [] : IDEMPOTENCY_CONFLICTS)];
  if (reasons.length === 0) return [];
  const data = withMore(Type.Object({ reason: Type.Enum(reasons) }), refusalData?.[409]);
  return [
    [409, errorAnswer(writer, "conflict", data, reasons.map((one) => `\`${one}\``).join(", "))],
  ] as const;
}

function withMore(data: TSchema, more: TSchema | undefined): TSchema {
  return more === undefined ? data : Type.Unsafe({ allOf: [data, more] });
}

function errorAnswer(writer: SchemaWriter, code: ErrorCode, data: TSchema, when: string = ERRORS[code].when) {
  const envelope = Type.Object({
    error: Type.Object({
      code: Type.Literal(code),
      message: Type.String(),
      data,
      trace_id: Type.String({ pattern: "^[0-9a-f]{32}$" }),
    }),
  });
  const header = HEADER_OF[code as keyof typeof HEADER_OF];
  const headersWith = EARLY.includes(code) ? earlyHeaders : answerHeaders;
  return {
    description: `\`${code}\`: ${when}`,
    headers: headersWith(...(header === undefined ? [] : [header])),
    content: { "application/json": { schema: writer.write(envelope, code) } },
  };
}
