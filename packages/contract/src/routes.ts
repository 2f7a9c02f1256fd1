import type { Static, TSchema } from "typebox";
import * as apiToken from "./schemas/api-token.ts";
import { pageOf } from "./schemas/fields.ts";
import * as member from "./schemas/member.ts";
import * as memberBase from "./schemas/member-base.ts";
import * as transaction from "./schemas/transaction.ts";

export type AccessLevel = "read" | "write";

interface RouteDefinition {
  readonly access: AccessLevel;
  readonly summary: string;
  readonly request: TSchema;
  /** Success answers by status. */
  readonly answers: Readonly<Record<number, TSchema>>;
}

/** The one table of routes of `publisher.v1`. Validators, router and access rules are made from it. */
export const ROUTES = {
  "api-token/create": {
    access: "write",
    summary: "Make a token; the secret is in this answer only",
    request: apiToken.ApiTokenCreate,
    answers: { 200: apiToken.ApiTokenCreated },
  },
  "api-token/list": {
    access: "read",
    summary: "List tokens, without secrets",
    request: apiToken.ApiTokenList,
    answers: { 200: pageOf(apiToken.ApiToken) },
  },
  "api-token/revoke": {
    access: "write",
    summary: "Revoke a token for good",
    request: apiToken.ApiTokenRevoke,
    answers: { 200: apiToken.ApiToken },
  },
  "member-base/create": {
    access: "write",
    summary: "Make a memberbase",
    request: memberBase.MemberBaseCreate,
    answers: { 200: memberBase.MemberBase },
  },
  "member-base/get": {
    access: "read",
    summary: "Read one memberbase",
    request: memberBase.MemberBaseGet,
    answers: { 200: memberBase.MemberBase },
  },
  "member-base/list": {
    access: "read",
    summary: "List memberbases, oldest first",
    request: memberBase.MemberBaseList,
    answers: { 200: pageOf(memberBase.MemberBase) },
  },
  "member/bulk-upsert": {
    access: "write",
    summary: "Make or update members by ref",
    request: member.MemberBulkUpsert,
    answers: { 200: member.MemberBulkUpserted },
  },
  "member/get": {
    access: "read",
    summary: "Read one member by id, or by memberbase and ref",
    request: member.MemberGet,
    answers: { 200: member.Member },
  },
  "transaction.batch/get": {
    access: "read",
    summary: "Read what became of a batch that was answered 202; kept for 7 days",
    request: transaction.BatchGet,
    answers: { 200: transaction.Batch },
  },
  "transaction/list": {
    access: "read",
    summary: "List a member's transactions, newest first",
    request: transaction.TransactionList,
    answers: { 200: pageOf(transaction.Transaction) },
  },
  "transaction/get": {
    access: "read",
    summary: "Read one transaction by external_id",
    request: transaction.TransactionGet,
    answers: { 200: transaction.Transaction },
  },
  "transaction/ingest": {
    access: "write",
    summary: "Take in card transactions",
    request: transaction.TransactionIngest,
    answers: { 200: transaction.TransactionProcessed, 202: transaction.TransactionAccepted },
  },
} as const satisfies Record<string, RouteDefinition>;

export type RouteName = keyof typeof ROUTES;
/** The validated body of a request. */
export type RequestOf<R extends RouteName> = Static<(typeof ROUTES)[R]["request"]>;
/** The body of a 200 answer. */
export type AnswerOf<R extends RouteName> = Static<(typeof ROUTES)[R]["answers"][200]>;

/** Every path of the publisher API is `/publisher.v1/<resource>/<action>`. */
export const PUBLISHER_PREFIX = "/publisher.v1/";
