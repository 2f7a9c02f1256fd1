import { LIMITS } from "../../limits.ts";
import { ApiToken, ApiTokenCreated } from "../../schemas/api-token.ts";
import {
  Deal,
  DealReward,
  DisplayContent,
  LoyaltyProgram,
  ProgramReward,
} from "../../schemas/configuration.ts";
import { EVENTS, EventDelivery, EventPage, WebhookEvent } from "../../schemas/events.ts";
import { Page, Pagination } from "../../schemas/fields.ts";
import { Member, MemberBase } from "../../schemas/member.ts";
import { NamedRecord } from "../../schemas/named-record.ts";
import { QualifyingPurchase, Redemption, Stamp } from "../../schemas/stamp.ts";
import {
  TracedTransaction,
  TraceIgnored,
  TraceLink,
  TraceStep,
  TraceWaiting,
  TransactionTrace,
} from "../../schemas/trace.ts";
import {
  Batch,
  IgnoredEvent,
  KeptRejection,
  RejectedEvent,
  Rejection,
  Transaction,
  TransactionAccepted,
  TransactionEvent,
  TransactionProcessed,
} from "../../schemas/transaction.ts";
import { Cashback, CashbackSource, Clip, Reward, StampCollection } from "../../schemas/wallet.ts";
import { Webhook, WebhookCreated, WebhookDetail, WebhookSecret } from "../../schemas/webhook.ts";
import {
  DeliveryAttempt,
  DeliveryDetail,
  WebhookDelivery,
  WebhookTestOutcome,
} from "../../schemas/webhook-delivery.ts";
import { type NamedSchema, named } from "../names.ts";

/** The schemas with a name in the document, and their descriptions; others stand where they are used. */
export const NAMED_SCHEMAS: Readonly<Record<string, NamedSchema>> = {
  ApiToken: named(ApiToken, "A token, without its secret."),
  ApiTokenCreated: named(ApiTokenCreated, "A new token. `token` is the secret, and only this answer has it."),
  MemberBase: named(MemberBase, "A set of members. `deleted_at` is there once it is deleted."),
  Member: named(Member, "One member, known to you by `ref`."),
  NamedRecord: named(
    NamedRecord,
    "What an id names, and what that belongs to. What it does not belong to is left out.",
  ),
  Transaction: named(Transaction, "A card transaction as it is stored."),
  TransactionTrace: named(TransactionTrace, "The way of one transaction, and what it waits for."),
  TracedTransaction: named(TracedTransaction, "A card transaction as it is stored, without its identifiers."),
  TraceStep: named(TraceStep, "One step. `kind` says which, and what else is in it."),
  TraceWaiting: named(
    TraceWaiting,
    "What a transaction waits for: `platform` its record may not have left yet; `no_links` its member has nothing that counts " +
      "for it; `match` the platform has not matched it, and knows why; `clearing` it is neither cleared nor reverted; `stamps` its card is " +
      "not full; `amount` its full card waits for an amount or a currency; `webhook`, `webhook_paused` and " +
      "`webhook_disabled` an event of it is not delivered.",
  ),
  TraceLink: named(
    TraceLink,
    "An enrolment or an open clip of the member. One that was made more than 60 s after the purchase counts only where the " +
      "program or deal is retroactive.",
  ),
  TraceIgnored: named(
    TraceIgnored,
    "An event of a known transaction of which something was not taken: `fields` differed from what is stored.",
  ),
  TransactionEvent: named(
    TransactionEvent,
    "A card transaction as you know it now. `cleared_at` and `reverted_at` exclude each other.",
  ),
  TransactionProcessed: named(TransactionProcessed, "Every event was applied and is committed."),
  TransactionAccepted: named(
    TransactionAccepted,
    "The events are on disk and will take effect; `transaction.batch/get` tells what became of them. `batch_id` is at most 1,000 " +
      "characters long; `transaction.rejected` events and `transaction.rejection/list` name the batch by its part before the dot.",
  ),
  IgnoredEvent: named(
    IgnoredEvent,
    "An event of a known transaction of which `fields` were not taken; `index` is its place in the request.",
  ),
  RejectedEvent: named(RejectedEvent, "One event that was not applied; `index` is its place in the request."),
  Rejection: named(
    Rejection,
    "Some events were rejected, the others are applied. `reason` and `external_id` are those of the first one.",
  ),
  KeptRejection: named(
    KeptRejection,
    "A rejected event as it is kept. Of each minute 1,000 are; how many more there were is a row of its own, with the code " +
      "`not_kept` and a `count`.",
  ),
  Batch: named(
    Batch,
    "What became of a batch. `accepted` counts the events that are applied, and is 0 until the batch is `processed`. `lost`: the " +
      "stream that held it is gone, and what of it was not applied never will be: send it again.",
  ),
  LoyaltyProgram: named(LoyaltyProgram, "A stamp card, configured on the central platform."),
  ProgramReward: named(ProgramReward, "What a full card gives: the purchase back, or a fixed amount."),
  Deal: named(Deal, "An offer that a member can save as a clip."),
  DealReward: named(DealReward, "A share of the purchase, at most `max_amount`, or a fixed amount."),
  DisplayContent: named(DisplayContent, "For rendering in a user interface. `image` and `logo` are URLs."),
  StampCollection: named(StampCollection, "A member's enrolment in a loyalty program."),
  Stamp: named(
    Stamp,
    "A purchase that counts. `live` ones make the counter; a voided one goes on naming the redemption that had taken it.",
  ),
  QualifyingPurchase: named(
    QualifyingPurchase,
    "A stamp with its transaction, which is left out when it is not kept any more.",
  ),
  Redemption: named(
    Redemption,
    "A full card. Of an undone one, `stamps` are those that it had taken, and its cashback is reverted.",
  ),
  Clip: named(Clip, "A deal that a member has saved; open until `redeemed_at`."),
  Cashback: named(Cashback, "Money for a member, from a clip or a full stamp card."),
  Reward: named(Reward, "A cashback as its transaction shows it."),
  CashbackSource: named(CashbackSource, "What the cashback is for."),
  Webhook: named(Webhook, "A place that events are sent to, without its secrets."),
  WebhookDetail: named(WebhookDetail, "A webhook, and what waits for it."),
  WebhookCreated: named(
    WebhookCreated,
    "A new webhook. `secret` signs its deliveries; only this answer has it.",
  ),
  WebhookSecret: named(WebhookSecret, "A new secret; only this answer has it."),
  WebhookDelivery: named(
    WebhookDelivery,
    "One request to a webhook, with the result of its last attempt. `next_attempt_at` is there while it is pending; " +
      "`failed`: its event was refused for good, and the rest went on; `split`: its events went on one by one, as " +
      "deliveries whose `split_from` it is.",
  ),
  DeliveryAttempt: named(DeliveryAttempt, "One attempt: when, how long, and the result."),
  DeliveryDetail: named(
    DeliveryDetail,
    `A delivery with its attempts. Of more than ${LIMITS.deliveryAttemptsKept} the first and the last ` +
      `${LIMITS.deliveryAttemptsKept / 2} are kept, each with the first KiB of its answer.`,
  ),
  WebhookTestOutcome: named(
    WebhookTestOutcome,
    "What became of the one attempt; `error_class` says why it failed.",
  ),
  Pagination: named(Pagination, "Which page of a list."),
  Page: named(Page, "Where the next page begins. `cursor` is null on the last page."),
  CashbackCreated: named(EVENTS["cashback.created"], "A cashback was made."),
  CashbackCleared: named(EVENTS["cashback.cleared"], "A cashback is final: its transaction cleared."),
  CashbackReverted: named(EVENTS["cashback.reverted"], "A cashback is void: its transaction was reverted."),
  QualifyingPurchaseCreated: named(EVENTS["qualifying_purchase.created"], "A transaction became a stamp."),
  QualifyingPurchaseVoided: named(
    EVENTS["qualifying_purchase.voided"],
    "A stamp counts no longer: its transaction was reverted.",
  ),
  QualifyingPurchaseUnredeemed: named(
    EVENTS["qualifying_purchase.unredeemed"],
    "A stamp counts again: the redemption that held it was undone.",
  ),
  TransactionRejected: named(
    EVENTS["transaction.rejected"],
    "An event of a batch that was answered 202 was not applied.",
  ),
  WebhookTested: named(EVENTS["webhook.test"], "Sent by `webhook/test`."),
  WebhookEvent: named(WebhookEvent, "One event. Ignore types and fields that you do not know."),
  EventDelivery: named(EventDelivery, "Events of one organisation, in order."),
  EventPage: named(EventPage, "Events of one organisation, in order, each as webhooks carry it."),
};
