import { moneyText } from "../parts/money.tsx";
import type { CashbackStep, RedemptionStep, SettledStep, StampStep, Step, StepOf, Trace } from "./shapes.ts";
import type { Moments } from "./words.ts";

/** A clause about one stamp or cashback, and the webhook events that tell the same. */
export interface EarnedClause {
  readonly text: string;
  readonly events: readonly string[];
  /** `kept`: it counts, or is paid; `open`: not decided yet; `lost`: it was taken back. */
  readonly fate: "kept" | "open" | "lost";
}

/** The steps of a purchase on one card. */
interface OnCard {
  readonly stamp: StampStep;
  readonly voided: StepOf<"stamp_voided"> | undefined;
  /** The last redemption of the stamp. */
  readonly redemption: RedemptionStep | undefined;
  readonly undone: RedemptionStep | undefined;
}

/** One clause for each stamp of a purchase, then one for each cashback of a saved deal. */
export function earnedClauses(trace: Trace, moments: Moments): EarnedClause[] {
  const cards = cardsOf(trace.steps);
  const clips = trace.steps
    .filter((step) => step.kind === "cashback")
    .filter(({ source }) => source.type === "clip");
  const several = cards.length + clips.length > 1;
  return [
    ...cards.map((card) => stampClause(trace, card, { several, moments })),
    ...clips.map((cashback) => clipClause(trace, cashback, moments)),
  ];
}

function cardsOf(steps: readonly Step[]): OnCard[] {
  const stamps = steps.filter((step) => step.kind === "stamp");
  return stamps.map((stamp) => {
    const isOfCard = (step: { readonly stamp_collection_id: string }) =>
      step.stamp_collection_id === stamp.stamp_collection_id;
    const redemption = steps.filter((step) => step.kind === "redemption").findLast(isOfCard);
    return {
      stamp,
      voided: steps.filter((step) => step.kind === "stamp_voided").find(isOfCard),
      redemption,
      undone: steps
        .filter((step) => step.kind === "redemption_undone")
        .findLast(({ redemption_id }) => redemption_id === redemption?.redemption_id),
    };
  });
}

interface Saying {
  /** Whether there are other stamps or cashbacks, so that each is named. */
  readonly several: boolean;
  readonly moments: Moments;
}

function stampClause(trace: Trace, card: OnCard, { several, moments }: Saying): EarnedClause {
  const { stamp, voided } = card;
  const given = `${stampName(stamp, several)}, given ${moments.at(stamp.at)}`;
  if (voided !== undefined) return voidedClause(given, card, moments);
  if (trace.transaction.state === "reverted") {
    const taken = `${given}; the purchase was reverted, and the stamp is about to be taken back`;
    return { text: taken, events: ["qualifying_purchase.created"], fate: "open" };
  }
  if (stamp.state === "redeemed" && card.redemption !== undefined) {
    return redeemedClause(trace, given, card.redemption, moments);
  }
  return liveClause(trace, given, card, moments);
}

function voidedClause(given: string, { voided, redemption, undone }: OnCard, moments: Moments): EarnedClause {
  const at = voided === undefined ? "" : ` ${moments.at(voided.at)}`;
  const taken = `${given}, and taken back${at}, because the purchase was reverted`;
  const events = ["qualifying_purchase.voided"];
  if (redemption === undefined) return { text: taken, events, fate: "lost" };
  const full = `the full card that it was part of ${undone === undefined ? "was paid out before, and stays so" : "was undone with it"}`;
  return { text: `${taken}; ${full}`, events, fate: "lost" };
}

function redeemedClause(
  { transaction, steps }: Trace,
  given: string,
  redemption: RedemptionStep,
  moments: Moments,
): EarnedClause {
  const paid = moneyText(redemption.amount, redemption.currency);
  if (redemption.transaction_ref !== transaction.external_id) {
    const later = `${given}; it was part of a full card that gave ${paid} cashback ${moments.at(redemption.at)}`;
    return { text: later, events: ["qualifying_purchase.created"], fate: "kept" };
  }
  const cashback = steps
    .filter((step) => step.kind === "cashback")
    .find(({ cashback_id }) => cashback_id === redemption.cashback_id);
  const { text, events, fate } = cashbackFate(
    steps,
    redemption.cashback_id,
    cashback?.state ?? "pending",
    moments,
  );
  return { text: `${given}; the card is full, and its ${paid} cashback ${text}`, events, fate };
}

function liveClause(trace: Trace, given: string, { stamp, undone }: OnCard, moments: Moments): EarnedClause {
  const events = ["qualifying_purchase.created"];
  const waits = trace.waiting
    .filter((waiting) => waiting.code === "amount")
    .some(({ stamp_collection_id }) => stamp_collection_id === stamp.stamp_collection_id);
  if (waits) {
    const text = `${given}; the card is full, and waits for a purchase whose amount or currency is known`;
    return { text, events, fate: "open" };
  }
  if (undone === undefined) return { text: given, events, fate: "kept" };
  const again = `${given}; the full card that it was part of was undone ${moments.at(undone.at)}, and it counts again`;
  return { text: again, events: [...events, "qualifying_purchase.unredeemed"], fate: "kept" };
}

function clipClause({ steps }: Trace, cashback: CashbackStep, moments: Moments): EarnedClause {
  const { amount, currency, cashback_id, state } = cashback;
  const given = `${moneyText(amount, currency)} cashback for a saved deal, given ${moments.at(cashback.at)},`;
  const { text, events, fate } = cashbackFate(steps, cashback_id, state, moments);
  return { text: `${given} ${text}`, events, fate };
}

/** The fate of a cashback, as the end of a clause that names it. */
function cashbackFate(
  steps: readonly Step[],
  id: string,
  state: CashbackStep["state"],
  moments: Moments,
): EarnedClause {
  const settled = steps.find((step): step is SettledStep => isSettled(step) && step.cashback_id === id);
  const at = settled === undefined ? "" : ` ${moments.at(settled.at)}`;
  switch (state) {
    case "pending":
      return { text: "is pending until the purchase clears", events: ["cashback.created"], fate: "open" };
    case "cleared":
      return { text: `was cleared${at}`, events: ["cashback.cleared"], fate: "kept" };
    case "reverted":
      return { text: `was taken back${at}`, events: ["cashback.reverted"], fate: "lost" };
  }
}

function isSettled(step: Step): step is SettledStep {
  return step.kind === "cashback_cleared" || step.kind === "cashback_reverted";
}

/** `Stamp 7 of 10`; `Stamp 17 on the card` if the counter is no longer known, and `Stamp 11` past the threshold. */
export function stampName(stamp: StampStep, named: boolean): string {
  const {
    unredeemed_purchases: counter,
    qualifying_threshold: threshold,
    number,
    program_name: program,
  } = stamp;
  const whose = named && program !== undefined ? ` for ${program}` : "";
  if (counter === undefined || counter === 0 || threshold === undefined)
    return `Stamp ${number} on the card${whose}`;
  return counter > threshold ? `Stamp ${counter}${whose}` : `Stamp ${counter} of ${threshold}${whose}`;
}
