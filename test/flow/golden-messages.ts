import type { WebhookTestRequest, WebhookTestResult } from "#contract";
import type { DeadLetter, IngestReply, RedriveMessage, SettlementMessage } from "#contract/ingest";
import type { DealConfig, OutcomeMessage, PlatformMessage, ProgramConfig } from "#contract/platform";
import { type BatchEvent, encodeId } from "#domain";
import { DISPLAY_CONTENT } from "#test-support";

/**
 * A message as it travels, with the fewest fields and with all. Messages of earlier versions lie in between.
 * A field may therefore be added to `most` alone: readers of the same release can do without it. To take a
 * field out of `least`, a release must come first whose readers do not need it. To add one to `least`, to
 * rename one or to change its type needs another `v`.
 *
 * Arrays have an entry for each possible kind, in the same place of both.
 */
export interface GoldenMessage {
  readonly least: unknown;
  readonly most: unknown;
}

/** A message without optional fields. */
const exactly = <T>(message: T): GoldenMessage => ({ least: message, most: message });
const between = <T>(least: T, most: T): GoldenMessage => ({ least, most });
/** A kick: the subject is the whole message. */
const EMPTY = exactly("");
/** Names a database, in words, and says whether partitions are owned in it. */
const OWNER = exactly({ database: "stampede (1), server started then", isIn: true });

const UUID = "01980000-0000-7000-8000-000000000001";
const AT = "2026-05-01T10:00:00.000000Z";
const HASH = "16".repeat(32);
const PART_KEY = [UUID, 3] as const;

const PURCHASE = {
  outcome_id: encodeId("out", UUID),
  transaction_id: encodeId("tx", UUID),
  type: "qualifying_purchase",
  stamp_collection_id: encodeId("sc", UUID),
} as const;
const DEAL = {
  outcome_id: encodeId("out", UUID),
  transaction_id: encodeId("tx", UUID),
  type: "deal",
  clip_id: encodeId("clip", UUID),
  amount: 120,
  currency: "EUR",
} as const;
/** All possible fields of a purchase beside its reward. */
const JUDGED_BY = {
  purchase_amount: 450,
  currency: "EUR",
  revision: 2,
  qualifying_threshold: 5,
  retroactive: true,
};

const RECORD = {
  transaction_id: encodeId("tx", UUID),
  identifiers: [HASH],
  merchant_id: "MID_1",
  authed_at: AT,
  clips: [{ clip_id: encodeId("clip", UUID), deal_id: encodeId("deal", UUID) }],
  enrolments: [{ stamp_collection_id: encodeId("sc", UUID), loyalty_program_id: encodeId("lp", UUID) }],
};

const SETTLEMENT = { transaction: UUID, organisation: UUID, state: "cleared" } as const;

const OFFER = { name: "Coffee", display_content: DISPLAY_CONTENT, created_at: AT, updated_at: AT };
const RULES = { retroactive: true, retroactive_history: [{ since: AT, retroactive: true }] };
const PROGRAM = { ...OFFER, qualifying_threshold: 5, reward_config: { type: "refund" } } as const;
const FIXED_REWARD = { reward_config: { type: "fixed-reward", amount: 300 }, currency: "EUR" } as const;
const DEAL_OFFER = { ...RULES, starts_at: AT, ends_at: AT };
const PERCENT = { ...OFFER, reward_config: { type: "percent", percent: 10 } } as const;
const PERCENT_CAPPED = { ...PERCENT, reward_config: { ...PERCENT.reward_config, max_amount: 500 } } as const;
const FIXED = { ...OFFER, reward_config: { type: "fixed", amount: 100, currency: "EUR" } } as const;

const program = (record: ProgramConfig["record"]): ProgramConfig => ({
  ...{ v: 1, kind: "loyalty-program", id: encodeId("lp", UUID), revision: 1, record },
});
const deal = (record: DealConfig["record"]): DealConfig => ({
  ...{ v: 1, kind: "deal", id: encodeId("deal", UUID), revision: 1, record },
});

/** As the tables have it: each column is present, perhaps null. */
const ROW: BatchEvent = {
  ...{ ord: 0, id: UUID, organisationId: UUID, memberId: UUID, externalId: "order-1" },
  ...{ state: "reverted", network: "visa", merchantId: "MID_1", statementDescriptor: "Coffee" },
  ...{ amount: 450, currency: "EUR", authedAt: AT, clearedAt: AT, revertedAt: AT },
  ...{ identifier6: HASH, identifier8: HASH, firstDescriptor: null },
};
const NULLS = { statementDescriptor: null, amount: null, currency: null, clearedAt: null, revertedAt: null };
/** In the form that letters of the previous version have. */
const { firstDescriptor: _firstDescriptor, ...EARLIER_ROW } = ROW;
const BARE_ROW = { ...EARLIER_ROW, ...NULLS, memberId: null, identifier8: null } as BatchEvent;
const LETTER = { reason: "poison_event", hop: "INGEST", partition: 0, sequence: 1 };

const COUNTS = { batch: UUID, first: 0, created: 1, updated: 0, unchanged: 0, ignoredCount: 0 };
const PLACE = { index: 0, externalId: "order-1" };
const REPORT = {
  ...COUNTS,
  rejected: [
    { code: "not_found", reason: "not_found", ...PLACE },
    { code: "conflict", reason: "identity_mismatch", field: "card", ...PLACE },
    { code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted", ...PLACE },
    { code: "conflict", reason: "past_retention", ...PLACE },
  ],
  ignored: [{ ...PLACE, fields: ["amount"] }],
} as const;

const TEST: WebhookTestRequest = { organisation: UUID, webhook: UUID };
const TESTED: WebhookTestResult = {
  ...{ deliveryId: UUID, status: null, errorClass: "timeout", answer: null, durationMs: 12.5 },
};

/** By subject; if a message is answered, with its answer. Of the messages of `ingest` only those in JSON. */
export const GOLDEN_MESSAGES: Readonly<Record<string, readonly GoldenMessage[]>> = {
  // The edge's messages are bytes: packages/contract/src/codec/ingest-codec.test.ts.
  ingest: [between<RedriveMessage>({ v: 1, rows: [BARE_ROW] }, { v: 1, rows: [ROW] })],
  "platform.transactions": [
    between<PlatformMessage>(
      { v: 1, records: [RECORD] },
      { v: 1, records: [{ ...RECORD, statement_descriptor: "Coffee", cleared_at: AT, reverted_at: AT }] },
    ),
  ],
  outcomes: [
    between<OutcomeMessage>(
      { v: 1, outcomes: [PURCHASE, PURCHASE, DEAL] },
      {
        v: 1,
        outcomes: [
          { ...PURCHASE, ...JUDGED_BY, reward_config: FIXED_REWARD.reward_config },
          { ...PURCHASE, ...JUDGED_BY, reward_config: PROGRAM.reward_config },
          { ...DEAL, retroactive: true },
        ],
      },
    ),
  ],
  settlement: [exactly<SettlementMessage>({ v: 1, settlements: [SETTLEMENT] })],
  config: [
    between(program(PROGRAM), program({ ...PROGRAM, ...RULES, currency: "EUR" })),
    between(program({ ...PROGRAM, ...FIXED_REWARD }), program({ ...PROGRAM, ...FIXED_REWARD, ...RULES })),
    between(deal(PERCENT), deal({ ...PERCENT_CAPPED, ...DEAL_OFFER })),
    between(deal(FIXED), deal({ ...FIXED, ...DEAL_OFFER })),
    exactly(program(null)),
    exactly(deal(null)),
  ],
  dead: [
    exactly<DeadLetter>(LETTER),
    between<DeadLetter>({ ...LETTER, row: BARE_ROW }, { ...LETTER, error: "23514", row: ROW }),
    between<DeadLetter>({ ...LETTER, outcome: PURCHASE }, { ...LETTER, error: "23514", outcome: PURCHASE }),
    exactly<DeadLetter>({ ...LETTER, error: "23514", settlement: SETTLEMENT }),
    between<DeadLetter>(
      { ...LETTER, transactionId: encodeId("tx", UUID) },
      { ...LETTER, error: "23514", transactionId: encodeId("tx", UUID) },
    ),
  ],
  reply: [
    between<IngestReply>(
      { parts: [REPORT] },
      { parts: [{ ...REPORT, outcomes: "c" }], committed: [PART_KEY] },
    ),
  ],
  "tokens.revoked": [EMPTY],
  "tokens.revoked answered": [EMPTY],
  "partitions.kick": [EMPTY],
  "owners.publisher": [EMPTY],
  "owners.publisher answered": [OWNER],
  "owners.platform": [EMPTY],
  "owners.platform answered": [OWNER],
  "events.committed": [EMPTY],
  "webhook.test": [between<WebhookTestRequest>(TEST, { ...TEST, traceparent: "00-1-1-01" })],
  "webhook.test answered": [
    between<WebhookTestResult>(TESTED, { ...TESTED, status: 204, errorClass: "http_5xx", answer: "" }),
    exactly(null),
  ],
};

/** Whether a message, or a part of one, has all required fields, and only fields that its readers know. */
export function fits(said: unknown, least: unknown, most: unknown): boolean {
  if (Array.isArray(said)) {
    if (!Array.isArray(most)) return false;
    const kinds = Array.isArray(least) ? least : most;
    return said.every((one) => most.some((kind, i) => fits(one, kinds[i], kind)));
  }
  if (said === null) return least === null || most === null;
  if (typeof said !== "object") return typeof said === typeof most || typeof said === typeof least;
  if (typeof most !== "object" || most === null || Array.isArray(most)) return false;
  const all = most as Readonly<Record<string, unknown>>;
  const needed = (typeof least === "object" && least !== null ? least : most) as typeof all;
  const fields = Object.entries(said);
  return (
    Object.keys(needed).every((name) => name in said) &&
    fields.every(
      ([name, value]) => name in all && fits(value, name in needed ? needed[name] : all[name], all[name]),
    )
  );
}
