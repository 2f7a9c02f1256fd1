import { type AnswerOf, LIMITS } from "#contract";
import { encodeId } from "#domain";
import type { Told, TracedDelivery, TracedWebhook } from "./read-told.ts";
import type { TracedLink, TracedRows, TracedStamp } from "./read-trace.ts";

type Waiting = AnswerOf<"transaction/trace">["waiting"][number];
type Link = AnswerOf<"transaction/trace">["links"][number];

/**
 * What a purchase waits for, the most informative reason first; empty if nothing more can happen. Pure.
 * @param hasLeft whether everything stored of it is known to be published to the platform
 */
export function traceWaiting(rows: TracedRows, hasLeft: boolean): Waiting[] {
  const { transaction, stamps, told } = rows;
  // The verdict first, then everything else still open.
  const match = waitingForMatch(rows, hasLeft);
  const isDecided = match.some(({ code }) => code === "no_links");
  return [
    ...match,
    ...(hasLeft ? [] : [NOT_LEFT]),
    ...(transaction.state === "authorized" ? [waitingForClearing(rows, isDecided)] : []),
    ...stamps.flatMap((stamp) => waitingOfCard(stamp, rows)),
    ...told.webhooks.flatMap((webhook) => waitingForWebhook(webhook, told)),
  ];
}

const NOT_LEFT: Waiting = {
  code: "platform",
  text: "Its record waits to leave for the platform, or has left a moment ago.",
};

/**
 * Why nothing was earned, as far as the publisher knows: only the platform knows its rules and the retailers'
 * payments.
 */
function waitingForMatch({ transaction, stamps, links }: TracedRows, hasLeft: boolean): Waiting[] {
  const { state, memberId, rewards } = transaction;
  if (state === "reverted" || stamps.length + rewards.length > 0) return [];
  if (memberId === null) return [{ code: "no_links", text: "Nothing comes of it: its member was deleted." }];
  if (!links.some(({ counts }) => counts)) {
    const text = "Nothing comes of it: its member has no enrolment and no open clip that counts for it.";
    return [{ code: "no_links", text }];
  }
  if (!hasLeft) return [];
  const full = links.filter(({ counts, isFull }) => counts && isFull);
  return [{ code: "match", text: openQuestions(transaction) + full.map(describeFull).join("") }];
}

/**
 * The publisher knows neither answer. The platform keeps nothing of a purchase without a retailer, so both
 * questions come with the record.
 */
function openQuestions({ merchantId, authedAt }: TracedRows["transaction"]): string {
  const record = JSON.stringify({ merchant_id: merchantId, authed_at: authedAt.toISOString() });
  return (
    "Nothing came of it yet: the platform has not matched it. Either no retailer has its merchant id, or the retailer's payment " +
    `has not come. Which it is the platform knows: ask platform.v1 purchase/explain with ${record}, and with transaction_id, ` +
    "statement_descriptor, amount and currency where they are known."
  );
}

/** Where the platform has matched the purchase already, this is the reason. */
function describeFull({ id }: TracedLink): string {
  return (
    ` Or it was matched, and its stamp waits: ${encodeId("sc", id)} has ${LIMITS.pendingRedemptionsPerCard} redemptions or more ` +
    "whose purchases are neither cleared nor reverted, and gets no stamp until some of these are."
  );
}

/** @param isDecided whether the purchase can earn nothing, however it ends */
function waitingForClearing({ transaction }: TracedRows, isDecided: boolean): Waiting {
  if (isDecided) {
    return { code: "clearing", text: "It may still be cleared or reverted, which changes nothing of that." };
  }
  const pending = transaction.rewards.filter(({ state }) => state === "pending");
  if (pending.length === 0) return { code: "clearing", text: "It waits to be cleared or reverted." };
  return {
    code: "clearing",
    text: "It waits to be cleared: its cashback is final then. If it is reverted, so is its cashback.",
    cashback_ids: pending.map(({ id }) => encodeId("cb", id)),
  };
}

/**
 * What the card of a stamp waits for, if the stamp counts and is not redeemed; empty once its program is
 * removed.
 */
function waitingOfCard(stamp: TracedStamp, { redemptions }: TracedRows): Waiting[] {
  const { voidedAt, redemptionId, programName, qualifyingThreshold } = stamp;
  const redemption = redemptions.find(({ id }) => id === redemptionId);
  const awaitsAmount = redemptionId !== null && (redemption?.cashback ?? null) === null;
  if (voidedAt !== null || (redemptionId !== null && !awaitsAmount)) return [];
  const shown = {
    stamp_collection_id: encodeId("sc", stamp.stampCollectionId),
    loyalty_program_id: encodeId("lp", stamp.loyaltyProgramId),
    ...(programName !== null && { program_name: programName }),
  };
  const card = programName === null ? "Its card" : `Its card of ${programName}`;
  if (awaitsAmount) {
    const text = `${card} is full, and the cashback waits for the amount or the currency of a purchase.`;
    return [{ code: "amount", text, ...shown }];
  }
  if (qualifyingThreshold === null) return [];
  // If the threshold was lowered below the counter, it applies at the next stamp.
  const missing = Math.max(1, qualifyingThreshold - stamp.unredeemedPurchases);
  const text = `${card} waits for ${missing} more ${missing === 1 ? "stamp" : "stamps"}.`;
  return [{ code: "stamps", text, ...shown, missing, qualifying_threshold: qualifyingThreshold }];
}

const CODE_OF_WEBHOOK = {
  enabled: "webhook",
  paused: "webhook_paused",
  disabled: "webhook_disabled",
} as const;

function waitingForWebhook(webhook: TracedWebhook, { deliveries }: Told): Waiting[] {
  const pending = deliveries.filter(
    ({ webhookId, state }) => webhookId === webhook.id && state === "pending",
  );
  const sequences = new Set([...webhook.waiting, ...pending.flatMap((delivery) => delivery.sequences)]);
  if (sequences.size === 0) return [];
  const { failingSince } = webhook;
  const next = nextAttempt(pending);
  return [
    {
      code: CODE_OF_WEBHOOK[webhook.state],
      text: describeWebhook(webhook, sequences.size, next),
      webhook_id: encodeId("whk", webhook.id),
      webhook_url: webhook.url,
      events: sequences.size,
      ...(failingSince !== null && { failing_since: failingSince.toISOString() }),
      ...(next !== undefined && { next_attempt_at: next }),
    },
  ];
}

/** The earliest next attempt. */
function nextAttempt(pending: readonly TracedDelivery[]): string | undefined {
  const times = pending.map(({ nextAttemptAt }) => nextAttemptAt).filter((time) => time !== null);
  return times.map((time) => time.toISOString()).sort()[0];
}

function describeWebhook(
  { state, url, failingSince }: TracedWebhook,
  events: number,
  next: string | undefined,
): string {
  const wait = events === 1 ? "An event of it waits" : `${events} events of it wait`;
  if (state === "paused") return `${wait}: the webhook ${url} is paused.`;
  if (state === "disabled") return `${wait}: the webhook ${url} is disabled.`;
  const attempt = next === undefined ? "" : ` The next attempt is at ${next}.`;
  if (failingSince === null) return `${wait} for the webhook ${url}.${attempt}`;
  return `${wait} for the webhook ${url}, which has failed since ${failingSince.toISOString()}.${attempt}`;
}

/** Shows an enrolment or a clip in the trace. */
export function writeLink({ type, id, targetId, name, madeAt, counts }: TracedLink): Link {
  const shown = {
    ...(name !== null && { name }),
    made_at: new Date(madeAt / 1000).toISOString(),
    counts,
    ...(!counts && { reason: "made_too_late" as const }),
    text: counts
      ? "It counts for this purchase."
      : `The purchase was authorized before the ${type === "clip" ? "deal was saved" : "member was enrolled"}.`,
  };
  if (type === "clip") {
    return { type, clip_id: encodeId("clip", id), deal_id: encodeId("deal", targetId), ...shown };
  }
  return {
    type,
    stamp_collection_id: encodeId("sc", id),
    loyalty_program_id: encodeId("lp", targetId),
    ...shown,
  };
}
