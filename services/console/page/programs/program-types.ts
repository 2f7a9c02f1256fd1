import type { AnswerFrom, RequestTo } from "../console-routes.ts";

export type Program = AnswerFrom<"platform.v1/loyalty-program/get">;
export type Deal = AnswerFrom<"platform.v1/deal/get">;
export type Retailer = AnswerFrom<"platform.v1/retailer/get">;
export type DryRun = AnswerFrom<"platform.v1/loyalty-program/dry-run">;

export type ProgramFields = RequestTo<"platform.v1/loyalty-program/upsert">;
export type DealFields = RequestTo<"platform.v1/deal/upsert">;
export type RetailerFields = RequestTo<"platform.v1/retailer/upsert">;

/** - program: a stamp card. - deal: an offer for single purchases. */
export type OfferKind = "program" | "deal";
