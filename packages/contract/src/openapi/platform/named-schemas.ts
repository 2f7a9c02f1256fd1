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
} from "../../schemas/platform-requests.ts";
import { type NamedSchema, named } from "../names.ts";

/** The schemas with a name in the document, and their descriptions; others stand where they are used. */
export const NAMED_SCHEMAS: Readonly<Record<string, NamedSchema>> = {
  LoyaltyProgram: named(PlatformProgram, "A stamp card."),
  LoyaltyProgramDeleted: named(PlatformProgramDeleted, "A removed stamp card, as it was last."),
  Deal: named(PlatformDeal, "An offer that members can save as clips."),
  DealDeleted: named(PlatformDealDeleted, "A removed offer, as it was last."),
  Retailer: named(Retailer, "A shop. Transactions with one of its merchant ids belong to it."),
  RetailerUpserted: named(RetailerUpserted, "A retailer; `token` is present if the retailer is new."),
  RetailerToken: named(RetailerToken, "A retailer's new token, and how long the previous one stays valid."),
  Rules: named(Rules, "Which purchases count."),
  RulesInput: named(RulesInput, "Which purchases count. The default of `confirmation` is `retailer`."),
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
    "What a program or deal would have given. Purchases at merchants that no retailer has are not kept, so " +
      "they are not counted.",
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
    "The purchase as the platform stored it, or else as the request describes it.",
  ),
  ExplainedRouting: named(
    ExplainedRouting,
    "The retailer to which the purchase belonged when it was authorized, or why it belonged to none.",
  ),
  ExplainedVerdict: named(
    ExplainedVerdict,
    "The result for one enrolment or clip. `waiting` has `waits_for` and `until`, `not_earned` a `reason`; " +
      "`amount` and " +
      "`currency` are the retailer's for a stamp, and the cashback's for a deal.",
  ),
  Pagination: named(Pagination, "Which page of a list."),
  Page: named(Page, "Where the next page begins. `cursor` is null on the last page."),
};
