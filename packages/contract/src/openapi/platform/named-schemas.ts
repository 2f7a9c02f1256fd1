import { DealReward, DisplayContent, ProgramReward } from "../../schemas/configuration.ts";
import {
  ExplainedPurchase,
  ExplainedRouting,
  ExplainedVerdict,
  PurchaseExplained,
} from "../../schemas/explain.ts";
import { Page, Pagination } from "../../schemas/fields.ts";
import {
  DealRewardInput,
  DisplayContentInput,
  DryRunResult,
  Payment,
  PaymentsAccepted,
  PlatformDeal,
  PlatformDealDeleted,
  PlatformProgram,
  PlatformProgramDeleted,
  ProgramRewardInput,
  Retailer,
  RetailerToken,
  RetailerUpserted,
  Rules,
  RulesInput,
  StoredPayment,
} from "../../schemas/platform-api.ts";
import { type NamedSchema, named } from "../names.ts";

/** The schemas with a name in the document, and their descriptions; others stand where they are used. */
export const NAMED_SCHEMAS: Readonly<Record<string, NamedSchema>> = {
  LoyaltyProgram: named(PlatformProgram, "A stamp card."),
  LoyaltyProgramDeleted: named(PlatformProgramDeleted, "A stamp card that is removed, as it was last."),
  Deal: named(PlatformDeal, "An offer that members can save as clips."),
  DealDeleted: named(PlatformDealDeleted, "An offer that is removed, as it was last."),
  Retailer: named(Retailer, "A shop. Transactions with one of its merchant ids belong to it."),
  RetailerUpserted: named(RetailerUpserted, "A retailer; `token` is there if it is new."),
  RetailerToken: named(RetailerToken, "A retailer's new token, and how long the one before it counts."),
  Rules: named(Rules, "Which purchases count."),
  RulesInput: named(RulesInput, "Which purchases count. `confirmation` is `retailer` without it."),
  ProgramReward: named(ProgramReward, "What a full card gives: the purchase back, or a fixed amount."),
  ProgramRewardInput: named(
    ProgramRewardInput,
    "What a full card gives: the purchase back, or a fixed amount.",
  ),
  DealReward: named(DealReward, "A share of the purchase, at most `max_amount`, or a fixed amount."),
  DealRewardInput: named(
    DealRewardInput,
    "A share of the purchase, at most `max_amount`, or a fixed amount.",
  ),
  DisplayContent: named(DisplayContent, "For rendering in a user interface. `image` and `logo` are URLs."),
  DisplayContentInput: named(
    DisplayContentInput,
    "For rendering in a user interface. `image` and `logo` are URLs.",
  ),
  DryRunResult: named(
    DryRunResult,
    "What a program or deal would have come to. Purchases of merchants that no retailer has are not kept, and not among them.",
  ),
  Payment: named(Payment, "A payment as the retailer knows it, without card data."),
  StoredPayment: named(StoredPayment, "A payment as the retailer reported it, and what it is paired with."),
  PaymentsAccepted: named(PaymentsAccepted, "The payments are stored."),
  PurchaseExplained: named(
    PurchaseExplained,
    "What a purchase earns by the rules that were in force when it was authorized, and why.",
  ),
  ExplainedPurchase: named(
    ExplainedPurchase,
    "The purchase as the platform has it, else as it was sent along.",
  ),
  ExplainedRouting: named(
    ExplainedRouting,
    "To which retailer it belongs by what was in force when it was authorized, or why to none.",
  ),
  ExplainedVerdict: named(
    ExplainedVerdict,
    "What comes of one enrolment or clip. `waiting` has `waits_for` and `until`, `not_earned` a `reason`; `amount` and " +
      "`currency` are the retailer's for a stamp, and the cashback's for a deal.",
  ),
  Pagination: named(Pagination, "Which page of a list."),
  Page: named(Page, "Where the next page begins. `cursor` is null on the last page."),
};
