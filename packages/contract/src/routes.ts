import type { Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { type RouteDefinition, read, write } from "./route.ts";
import * as apiToken from "./schemas/api-token.ts";
import * as configuration from "./schemas/configuration.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as member from "./schemas/member.ts";
import { NamedRecord } from "./schemas/named-record.ts";
import * as trace from "./schemas/trace.ts";
import * as transaction from "./schemas/transaction.ts";
import { WALLET_ROUTES } from "./wallet-routes.ts";
import { WEBHOOK_ROUTES } from "./webhook-routes.ts";

/**
 * The routes of `publisher.v1`: validators, router, access rules and OpenAPI document are derived from it.
 */
export const ROUTES = {
  "api-token/create": write(
    "Make a token; the secret is in this answer only",
    apiToken.ApiTokenCreate,
    apiToken.ApiTokenCreated,
    {
      conflicts: ["too_many_tokens"],
      refusalData: { 409: TooMany },
      repeatable: { secretInAnswer: true },
    },
  ),
  "api-token/list": read("List tokens, without secrets", PlainList, pageOf(apiToken.ApiToken)),
  "api-token/revoke": write("Revoke a token for good", ById, apiToken.ApiToken, { notFound: ["api_token"] }),
  "member-base/create": write("Make a memberbase", member.MemberBaseCreate, member.MemberBase, {
    conflicts: ["too_many_memberbases"],
    refusalData: { 409: TooMany },
    repeatable: { secretInAnswer: false },
  }),
  "member-base/get": read("Read one memberbase", ById, member.MemberBase, { notFound: ["member_base"] }),
  "member-base/list": read(
    "List memberbases, oldest first",
    member.MemberBaseList,
    pageOf(member.MemberBase),
  ),
  "member-base/delete": write("Delete a memberbase and all its members", ById, member.MemberBase, {
    notFound: ["member_base"],
  }),
  "member/list": read(
    "List the members of a memberbase, oldest first",
    member.MemberList,
    pageOf(member.Member),
    { notFound: ["member_base"] },
  ),
  "member/bulk-delete": write(
    "Delete members by id or by ref",
    member.MemberBulkDelete,
    member.MemberBulkDeleted,
    { notFound: ["member_base"] },
  ),
  "member/bulk-upsert": write(
    "Make or update members by ref",
    member.MemberBulkUpsert,
    member.MemberBulkUpserted,
    { notFound: ["member_base"] },
  ),
  "member/get": read("Read one member by id, or by memberbase and ref", member.MemberGet, member.Member, {
    notFound: ["member"],
  }),
  "member/find": read(
    "List the members with a ref, in all memberbases",
    member.MemberFind,
    pageOf(member.Member),
  ),
  "id/resolve": read("Find the purchase, card and member to which an id belongs", ById, NamedRecord, {
    notFound: ["id"],
  }),
  "transaction.batch/get": read(
    "Read the result of a batch that was answered 202; kept for 7 days",
    transaction.BatchGet,
    transaction.Batch,
    { notFound: ["transaction_batch"] },
  ),
  "transaction.rejection/list": read(
    "List rejected events, newest first; kept for 30 days",
    transaction.RejectionList,
    pageOf(transaction.KeptRejection),
  ),
  "transaction/list": read(
    "List a member's transactions, newest first",
    transaction.TransactionList,
    pageOf(transaction.Transaction),
    { notFound: ["member"] },
  ),
  "transaction/export": read(
    "List all transactions in the order of external_id",
    transaction.TransactionExport,
    pageOf(transaction.Transaction),
  ),
  "transaction/get": read(
    "Read one transaction by external_id",
    transaction.TransactionGet,
    transaction.Transaction,
    { notFound: ["transaction"] },
  ),
  "transaction/trace": read(
    "Read every step of one transaction, and what it waits for",
    trace.TransactionTraceRequest,
    trace.TransactionTrace,
    { notFound: ["transaction"] },
  ),
  "transaction/ingest": {
    access: "write",
    summary: "Take in card transactions",
    request: transaction.TransactionIngest,
    answers: { 200: transaction.TransactionProcessed, 202: transaction.TransactionAccepted },
    notFound: ["member"],
    conflicts: ["invalid_transition", "identity_mismatch", "past_retention"],
    refusalData: { 404: transaction.Rejection, 409: transaction.Rejection },
  },
  "loyalty-program/list": read(
    "List loyalty programs, oldest first",
    PlainList,
    pageOf(configuration.LoyaltyProgram),
  ),
  "loyalty-program/get": read("Read one loyalty program", ById, configuration.LoyaltyProgram, {
    notFound: ["loyalty_program"],
  }),
  "deal/list": read("List deals, oldest first", PlainList, pageOf(configuration.Deal)),
  "deal/get": read("Read one deal", ById, configuration.Deal, { notFound: ["deal"] }),
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
