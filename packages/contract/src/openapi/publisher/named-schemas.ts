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
    "The record that an id names, and the records that it belongs to; others are left out.",
  ),
  Transaction: named(Transaction, "A card transaction as it is stored."),
  TransactionTrace: named(TransactionTrace, "Every step of one transaction, and what it waits for."),
  TracedTransaction: named(TracedTransaction, "A card transaction as it is stored, without its identifiers."),
  TraceStep: named(TraceStep, "One step. `kind` names it and determines its further fields."),
  TraceWaiting: named(
    TraceWaiting,
    "What a transaction waits for: `platform` its record may not have been sent yet; `no_links` its member " +
      "has no enrolment or clip " +
      "for which it counts; `match` the platform has not matched it (ask the platform why); `clearing` it " +
      "is neither cleared nor " +
      "reverted; `stamps` its card is not full; `amount` its full card waits for an amount or a currency; " +
      "`webhook`, " +
      "`webhook_paused` and `webhook_disabled` an event of it is not delivered.",
  ),
  TraceLink: named(
    TraceLink,
    "An enrolment or an open clip of the member. One that was made more than 60 s after the purchase " +
      "counts only where the " +
      "program or deal is retroactive.",
  ),
  TraceIgnored: named(
    TraceIgnored,
    "An event of a known transaction whose `fields` differed from the stored values and were ignored.",
  ),
  TransactionEvent: named(
    TransactionEvent,
    "A card transaction as you know it now. `cleared_at` and `reverted_at` exclude each other.",
  ),
  TransactionProcessed: named(TransactionProcessed, "Every event was applied and is committed."),
  TransactionAccepted: named(
    TransactionAccepted,
    "The events are on disk and will take effect; `transaction.batch/get` tells their results. `batch_id` " +
      "is at most 1,000 " +
      "characters long; `transaction.rejected` events and `transaction.rejection/list` name the batch by " +
      "its part before the dot.",
  ),
  IgnoredEvent: named(
    IgnoredEvent,
    "An event of a known transaction whose `fields` were ignored; `index` is its place in the request.",
  ),
  RejectedEvent: named(RejectedEvent, "One event that was not applied; `index` is its place in the request."),
  Rejection: named(
    Rejection,
    "Some events were rejected, all others are applied. `reason` and `external_id` are those of the first " +
      "rejected event.",
  ),
  KeptRejection: named(
    KeptRejection,
    "A rejected event. Up to 1,000 are kept for each minute; a row with the code `not_kept` and a `count` " +
      "says how many more " +
      "there were.",
  ),
  Batch: named(
    Batch,
    "The result of a batch. `accepted` counts the applied events, and is 0 until the batch is `processed`. " +
      "`lost`: the stream " +
      "that held the batch is gone, and events that were not applied never will be: send them again.",
  ),
  LoyaltyProgram: named(LoyaltyProgram, "A stamp card, configured on the central platform."),
  ProgramReward: named(ProgramReward, "What a full card gives: the purchase back, or a fixed amount."),
  Deal: named(Deal, "An offer that a member can save as a clip."),
  DealReward: named(DealReward, "A share of the purchase, at most `max_amount`, or a fixed amount."),
  DisplayContent: named(DisplayContent, "For rendering in a user interface. `image` and `logo` are URLs."),
  StampCollection: named(StampCollection, "A member's enrolment in a loyalty program."),
  Stamp: named(
    Stamp,
    "A purchase that counts. The counter is the number of `live` stamps; a voided stamp still names the " +
      "redemption that had taken it.",
  ),
  QualifyingPurchase: named(
    QualifyingPurchase,
    "A stamp with its transaction, which is absent when retention has removed it.",
  ),
  Redemption: named(
    Redemption,
    "A full card. If it was undone, `stamps` are the stamps that it had taken, and its cashback is reverted.",
  ),
  Clip: named(Clip, "A deal that a member has saved; open until `redeemed_at`."),
  Cashback: named(Cashback, "Money for a member, from a clip or a full stamp card."),
  Reward: named(Reward, "A cashback as its transaction shows it."),
  CashbackSource: named(CashbackSource, "What the cashback is for."),
  Webhook: named(Webhook, "An address that receives events, without its secrets."),
  WebhookDetail: named(WebhookDetail, "A webhook, and how many events wait for it."),
  WebhookCreated: named(
    WebhookCreated,
    "A new webhook. `secret` signs its deliveries; only this answer has it.",
  ),
  WebhookSecret: named(WebhookSecret, "A new secret; only this answer has it."),
  WebhookDelivery: named(
    WebhookDelivery,
    "One request to a webhook, with the result of its last attempt. `next_attempt_at` is there while it is " +
      "pending; " +
      "`failed`: its event was refused for good, and later events are sent; `split`: its events are sent " +
      "one by one, in " +
      "deliveries whose `split_from` names it.",
  ),
  DeliveryAttempt: named(DeliveryAttempt, "One attempt: when, how long, and the result."),
  DeliveryDetail: named(
    DeliveryDetail,
    `A delivery with its attempts. Of more than ${LIMITS.deliveryAttemptsKept} the first and the last ` +
      `${LIMITS.deliveryAttemptsKept / 2} are kept, each with the first KiB of its answer.`,
  ),
  WebhookTestOutcome: named(
    WebhookTestOutcome,
    "The result of the one attempt; `error_class` says why it failed.",
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
