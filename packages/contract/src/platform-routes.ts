import type { Static } from "typebox";
import { type RouteDefinition, routesOf } from "./route.ts";
import * as explain from "./schemas/explain.ts";
import { ById, PlainList, pageOf, TooMany } from "./schemas/fields.ts";
import * as api from "./schemas/platform-requests.ts";
import { Type } from "./type-builder.ts";

/** Which tokens may call a route: `platform`: the platform's own only; `retailer`: also retailers'. */
export type PlatformAccess = "platform" | "retailer";

export type PlatformRouteDefinition = RouteDefinition<PlatformAccess>;

const platform = routesOf<PlatformAccess>("platform");
const retailer = routesOf<PlatformAccess>("retailer");

/** The only table of routes of `platform.v1`, like `ROUTES` for `publisher.v1`. */
export const PLATFORM_ROUTES = {
  "loyalty-program/upsert": platform(
    "Make a loyalty program, or replace one",
    api.PlatformProgramUpsert,
    api.PlatformProgram,
    {
      repeatable: { secretInAnswer: false },
      notFound: ["loyalty_program"],
      conflicts: ["too_many_revisions"],
      refusalData: { 409: TooMany },
    },
  ),
  "loyalty-program/get": platform("Read one loyalty program", ById, api.PlatformProgram, {
    notFound: ["loyalty_program"],
  }),
  "loyalty-program/list": platform(
    "List loyalty programs, oldest first",
    PlainList,
    pageOf(api.PlatformProgram),
  ),
  "loyalty-program/delete": platform(
    "Remove a loyalty program for good, here and at the publishers",
    ById,
    api.PlatformProgramDeleted,
    { notFound: ["loyalty_program"] },
  ),
  "loyalty-program/dry-run": platform(
    "Try a loyalty program on the last day's purchases; nothing is changed",
    api.PlatformProgramUpsert,
    api.DryRunResult,
    { notFound: ["loyalty_program"] },
  ),
  "deal/upsert": platform("Make a deal, or replace one", api.PlatformDealUpsert, api.PlatformDeal, {
    repeatable: { secretInAnswer: false },
    notFound: ["deal"],
    conflicts: ["too_many_revisions"],
    refusalData: { 409: TooMany },
  }),
  "deal/get": platform("Read one deal", ById, api.PlatformDeal, { notFound: ["deal"] }),
  "deal/list": platform("List deals, oldest first", PlainList, pageOf(api.PlatformDeal)),
  "deal/delete": platform(
    "Remove a deal for good, here and at the publishers",
    ById,
    api.PlatformDealDeleted,
    { notFound: ["deal"] },
  ),
  "deal/dry-run": platform(
    "Try a deal on the last day's purchases; nothing is changed",
    api.PlatformDealUpsert,
    api.DryRunResult,
    { notFound: ["deal"] },
  ),
  "retailer/upsert": platform(
    "Make a retailer, whose token is in this answer only, or replace one",
    api.RetailerUpsert,
    api.RetailerUpserted,
    {
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
  ),
  "retailer/get": platform("Read one retailer", ById, api.Retailer, { notFound: ["retailer"] }),
  "retailer/list": platform("List retailers, oldest first", PlainList, pageOf(api.Retailer)),
  "retailer/rotate-token": platform(
    "Make a new token for a retailer's software; for a while the previous one stays valid",
    api.RetailerRotateToken,
    api.RetailerToken,
    { notFound: ["retailer"] },
  ),
  "retailer/delete": platform("Remove a retailer and its tokens for good", ById, api.RetailerDeleted, {
    notFound: ["retailer"],
  }),
  "payment/ingest": retailer(
    "Take in a retailer's payments; repeating them is harmless",
    api.PaymentIngest,
    api.PaymentsAccepted,
    { notFound: ["retailer"] },
  ),
  "payment/get": platform(
    "Read one of a retailer's payments, and which purchase it is paired with",
    api.PaymentGet,
    api.StoredPayment,
    { notFound: ["payment"] },
  ),
  "payment/list": platform(
    "List payments by when they were paid, newest first",
    api.PaymentList,
    pageOf(api.StoredPayment),
    { notFound: ["retailer"] },
  ),
  "purchase/explain": platform(
    "Explain what a purchase earns by the rules of its time, and why",
    explain.PurchaseExplain,
    explain.PurchaseExplained,
    {
      notFound: ["purchase"],
      refusalData: { 404: explain.NotKept },
    },
  ),
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
