import type { Static, TSchema } from "typebox";
import { LIMITS } from "./limits.ts";
import * as apiToken from "./schemas/api-token.ts";
import * as configuration from "./schemas/configuration.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as member from "./schemas/member.ts";
import { NamedRecord } from "./schemas/named-record.ts";
import * as trace from "./schemas/trace.ts";
import * as transaction from "./schemas/transaction.ts";
import { WALLET_ROUTES } from "./wallet-routes.ts";
import { WEBHOOK_ROUTES } from "./webhook-routes.ts";

export type AccessLevel = "read" | "write";

/** The table's entry for one route. */
export interface RouteDefinition<Access extends string = AccessLevel> {
  readonly access: Access;
  readonly summary: string;
  readonly request: TSchema;
  /** Success answers by status. A route with a 202 honours `prefer`: `respond-async` and `return=representation`. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** The values of `data.resource` in its 404. */
  readonly notFound?: readonly string[];
  /** The values of `data.reason` in its 409, in addition to the conflicts of idempotency keys. */
  readonly conflicts?: readonly string[];
  /** Further fields of `data` in a 400, 404 or 409, by status. */
  readonly refusalData?: Readonly<Partial<Record<400 | 404 | 409, TSchema>>>;
  /** The route honours the header `idempotency-key`; a stored answer with a secret is sealed. */
  readonly repeatable?: { readonly secretInAnswer: boolean };
}

/**
 * The routes of `publisher.v1`: validators, router, access rules and OpenAPI document are derived from it.
 */
export const ROUTES = {
  "api-token/create": {
    access: "write",
    summary: "Make a token; the secret is in this answer only",
    request: apiToken.ApiTokenCreate,
    answers: { 200: apiToken.ApiTokenCreated },
    conflicts: ["too_many_tokens"],
    refusalData: { 409: TooMany },
    repeatable: { secretInAnswer: true },
  },
  "api-token/list": {
    access: "read",
    summary: "List tokens, without secrets",
    request: PlainList,
    answers: { 200: pageOf(apiToken.ApiToken) },
  },
  "api-token/revoke": {
    access: "write",
    summary: "Revoke a token for good",
    request: ById,
    answers: { 200: apiToken.ApiToken },
    notFound: ["api_token"],
  },
  "member-base/create": {
    access: "write",
    summary: "Make a memberbase",
    request: member.MemberBaseCreate,
    answers: { 200: member.MemberBase },
    conflicts: ["too_many_memberbases"],
    refusalData: { 409: TooMany },
    repeatable: { secretInAnswer: false },
  },
  "member-base/get": {
    access: "read",
    summary: "Read one memberbase",
    request: ById,
    answers: { 200: member.MemberBase },
    notFound: ["member_base"],
  },
  "member-base/list": {
    access: "read",
    summary: "List memberbases, oldest first",
    request: member.MemberBaseList,
    answers: { 200: pageOf(member.MemberBase) },
  },
  "member-base/delete": {
    access: "write",
    summary: "Delete a memberbase and all its members",
    request: ById,
    answers: { 200: member.MemberBase },
    notFound: ["member_base"],
  },
  "member/list": {
    access: "read",
    summary: "List the members of a memberbase, oldest first",
    request: member.MemberList,
    answers: { 200: pageOf(member.Member) },
    notFound: ["member_base"],
  },
  "member/bulk-delete": {
    access: "write",
    summary: "Delete members by id or by ref",
    request: member.MemberBulkDelete,
    answers: { 200: member.MemberBulkDeleted },
    notFound: ["member_base"],
  },
  "member/bulk-upsert": {
    access: "write",
    summary: "Make or update members by ref",
    request: member.MemberBulkUpsert,
    answers: { 200: member.MemberBulkUpserted },
    notFound: ["member_base"],
  },
  "member/get": {
    access: "read",
    summary: "Read one member by id, or by memberbase and ref",
    request: member.MemberGet,
    answers: { 200: member.Member },
    notFound: ["member"],
  },
  "member/find": {
    access: "read",
    summary: "List the members with a ref, in all memberbases",
    request: member.MemberFind,
    answers: { 200: pageOf(member.Member) },
  },
  "id/resolve": {
    access: "read",
    summary: "Find the purchase, card and member to which an id belongs",
    request: ById,
    answers: { 200: NamedRecord },
    notFound: ["id"],
  },
  "transaction.batch/get": {
    access: "read",
    summary: "Read the result of a batch that was answered 202; kept for 7 days",
    request: transaction.BatchGet,
    answers: { 200: transaction.Batch },
    notFound: ["transaction_batch"],
  },
  "transaction.rejection/list": {
    access: "read",
    summary: "List rejected events, newest first; kept for 30 days",
    request: transaction.RejectionList,
    answers: { 200: pageOf(transaction.KeptRejection) },
  },
  "transaction/list": {
    access: "read",
    summary: "List a member's transactions, newest first",
    request: transaction.TransactionList,
    answers: { 200: pageOf(transaction.Transaction) },
    notFound: ["member"],
  },
  "transaction/export": {
    access: "read",
    summary: "List all transactions in the order of external_id",
    request: transaction.TransactionExport,
    answers: { 200: pageOf(transaction.Transaction) },
  },
  "transaction/get": {
    access: "read",
    summary: "Read one transaction by external_id",
    request: transaction.TransactionGet,
    answers: { 200: transaction.Transaction },
    notFound: ["transaction"],
  },
  "transaction/trace": {
    access: "read",
    summary: "Read every step of one transaction, and what it waits for",
    request: trace.TransactionTraceRequest,
    answers: { 200: trace.TransactionTrace },
    notFound: ["transaction"],
  },
  "transaction/ingest": {
    access: "write",
    summary: "Take in card transactions",
    request: transaction.TransactionIngest,
    answers: { 200: transaction.TransactionProcessed, 202: transaction.TransactionAccepted },
    notFound: ["member"],
    conflicts: ["invalid_transition", "identity_mismatch", "past_retention"],
    refusalData: { 404: transaction.Rejection, 409: transaction.Rejection },
  },
  "loyalty-program/list": {
    access: "read",
    summary: "List loyalty programs, oldest first",
    request: PlainList,
    answers: { 200: pageOf(configuration.LoyaltyProgram) },
  },
  "loyalty-program/get": {
    access: "read",
    summary: "Read one loyalty program",
    request: ById,
    answers: { 200: configuration.LoyaltyProgram },
    notFound: ["loyalty_program"],
  },
  "deal/list": {
    access: "read",
    summary: "List deals, oldest first",
    request: PlainList,
    answers: { 200: pageOf(configuration.Deal) },
  },
  "deal/get": {
    access: "read",
    summary: "Read one deal",
    request: ById,
    answers: { 200: configuration.Deal },
    notFound: ["deal"],
  },
  ...WALLET_ROUTES,
  ...WEBHOOK_ROUTES,
} as const satisfies Record<string, RouteDefinition>;

export type RouteName = keyof typeof ROUTES;
/** The validated body of a request. */
export type RequestOf<R extends RouteName> = Static<(typeof ROUTES)[R]["request"]>;
/** The body of a 200 answer. */
export type AnswerOf<R extends RouteName> = Static<(typeof ROUTES)[R]["answers"][200]>;

/** Every path of the publisher API is `/publisher.v1/<resource>/<action>`. */
export const PUBLISHER_PREFIX = "/publisher.v1/";

export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";

/** A route that repeats the first answer when the same key and body come again (contract, section 5). */
export type RepeatableRoute = {
  [R in RouteName]: (typeof ROUTES)[R] extends { readonly repeatable: object } ? R : never;
}[RouteName];

/** The repeatable routes of the route table. A stored answer with a secret is sealed. */
export const REPEATABLE_ROUTES = Object.fromEntries(
  Object.entries(ROUTES).flatMap(([route, definition]) =>
    "repeatable" in definition ? [[route, definition.repeatable]] : [],
  ),
) as { readonly [R in RepeatableRoute]: (typeof ROUTES)[R]["repeatable"] };

/** `data.reason` of the conflicts that a key can meet, on every such route. */
export const IDEMPOTENCY_CONFLICTS = ["idempotency_key_reused", "in_progress", "answer_unreadable"] as const;

/** Whether a text is 1 to 255 printable ASCII characters, including spaces. */
export function isIdempotencyKey(text: string): boolean {
  return text.length <= LIMITS.idempotencyKeyLength && /^[ -~]+$/.test(text);
}
