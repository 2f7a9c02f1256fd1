import type { Static } from "typebox";
import type { RouteDefinition } from "./routes.ts";
import * as explain from "./schemas/explain.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as api from "./schemas/platform-requests.ts";
import { Type } from "./type-builder.ts";

/** Which tokens may call a route: `platform`: the platform's own only; `retailer`: also retailers'. */
export type PlatformAccess = "platform" | "retailer";

export type PlatformRouteDefinition = RouteDefinition<PlatformAccess>;

/** The only table of routes of `platform.v1`, like `ROUTES` for `publisher.v1`. */
export const PLATFORM_ROUTES = {
  "loyalty-program/upsert": {
    access: "platform",
    summary: "Make a loyalty program, or replace one",
    request: api.PlatformProgramUpsert,
    answers: { 200: api.PlatformProgram },
    repeatable: { secretInAnswer: false },
    notFound: ["loyalty_program"],
    conflicts: ["too_many_revisions"],
    refusalData: { 409: TooMany },
  },
  "loyalty-program/get": {
    access: "platform",
    summary: "Read one loyalty program",
    request: ById,
    answers: { 200: api.PlatformProgram },
    notFound: ["loyalty_program"],
  },
  "loyalty-program/list": {
    access: "platform",
    summary: "List loyalty programs, oldest first",
    request: PlainList,
    answers: { 200: pageOf(api.PlatformProgram) },
  },
  "loyalty-program/delete": {
    access: "platform",
    summary: "Remove a loyalty program for good, here and at the publishers",
    request: ById,
    answers: { 200: api.PlatformProgramDeleted },
    notFound: ["loyalty_program"],
  },
  "loyalty-program/dry-run": {
    access: "platform",
    summary: "Try a loyalty program on the last day's purchases; nothing is changed",
    request: api.PlatformProgramUpsert,
    answers: { 200: api.DryRunResult },
    notFound: ["loyalty_program"],
  },
  "deal/upsert": {
    access: "platform",
    summary: "Make a deal, or replace one",
    request: api.PlatformDealUpsert,
    answers: { 200: api.PlatformDeal },
    repeatable: { secretInAnswer: false },
    notFound: ["deal"],
    conflicts: ["too_many_revisions"],
    refusalData: { 409: TooMany },
  },
  "deal/get": {
    access: "platform",
    summary: "Read one deal",
    request: ById,
    answers: { 200: api.PlatformDeal },
    notFound: ["deal"],
  },
  "deal/list": {
    access: "platform",
    summary: "List deals, oldest first",
    request: PlainList,
    answers: { 200: pageOf(api.PlatformDeal) },
  },
  "deal/delete": {
    access: "platform",
    summary: "Remove a deal for good, here and at the publishers",
    request: ById,
    answers: { 200: api.PlatformDealDeleted },
    notFound: ["deal"],
  },
  "deal/dry-run": {
    access: "platform",
    summary: "Try a deal on the last day's purchases; nothing is changed",
    request: api.PlatformDealUpsert,
    answers: { 200: api.DryRunResult },
    notFound: ["deal"],
  },
  "retailer/upsert": {
    access: "platform",
    summary: "Make a retailer, whose token is in this answer only, or replace one",
    request: api.RetailerUpsert,
    answers: { 200: api.RetailerUpserted },
    notFound: ["retailer"],
    conflicts: ["merchant_id_taken", "too_many_revisions"],
    refusalData: {
      409: Type.Object({
        limit: Type.Optional(Type.Integer()),
        retailer_id: Type.Optional(Type.String()),
        merchant_id: Type.Optional(Type.String()),
      }),
    },
    repeatable: { secretInAnswer: true },
  },
  "retailer/get": {
    access: "platform",
    summary: "Read one retailer",
    request: ById,
    answers: { 200: api.Retailer },
    notFound: ["retailer"],
  },
  "retailer/list": {
    access: "platform",
    summary: "List retailers, oldest first",
    request: PlainList,
    answers: { 200: pageOf(api.Retailer) },
  },
  "retailer/rotate-token": {
    access: "platform",
    summary: "Make a new token for a retailer's software; for a while the previous one stays valid",
    request: api.RetailerRotateToken,
    answers: { 200: api.RetailerToken },
    notFound: ["retailer"],
  },
  "retailer/delete": {
    access: "platform",
    summary: "Remove a retailer and its tokens for good",
    request: ById,
    answers: { 200: api.RetailerDeleted },
    notFound: ["retailer"],
  },
  "payment/ingest": {
    access: "retailer",
    summary: "Take in a retailer's payments; repeating them is harmless",
    request: api.PaymentIngest,
    answers: { 200: api.PaymentsAccepted },
    notFound: ["retailer"],
  },
  "payment/get": {
    access: "platform",
    summary: "Read one of a retailer's payments, and which purchase it is paired with",
    request: api.PaymentGet,
    answers: { 200: api.StoredPayment },
    notFound: ["payment"],
  },
  "payment/list": {
    access: "platform",
    summary: "List payments by when they were paid, newest first",
    request: api.PaymentList,
    answers: { 200: pageOf(api.StoredPayment) },
    notFound: ["retailer"],
  },
  "purchase/explain": {
    access: "platform",
    summary: "Explain what a purchase earns by the rules of its time, and why",
    request: explain.PurchaseExplain,
    answers: { 200: explain.PurchaseExplained },
    notFound: ["purchase"],
    refusalData: { 404: explain.NotKept },
  },
} as const satisfies Record<string, PlatformRouteDefinition>;

export type PlatformRouteName = keyof typeof PLATFORM_ROUTES;
/** The validated body of a request. */
export type PlatformRequestOf<R extends PlatformRouteName> = Static<(typeof PLATFORM_ROUTES)[R]["request"]>;
/** The body of a 200 answer. */
export type PlatformAnswerOf<R extends PlatformRouteName> = Static<
  (typeof PLATFORM_ROUTES)[R]["answers"][200]
>;

/** Every path of the platform's API is `/platform.v1/<resource>/<action>`. */
export const PLATFORM_PREFIX = "/platform.v1/";
