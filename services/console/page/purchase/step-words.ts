import { moneyText } from "../parts/money.tsx";
import type { TimeLineEntry } from "../parts/time-line.tsx";
import { stampName } from "./earned.ts";
import type { CashbackStep, DeliveryStep, Link, RedemptionStep, Step, Trace } from "./shapes.ts";
import { count, list, moment, type Reader } from "./words.ts";

/** A step of the time line, in words. */
type SaidStep = Pick<TimeLineEntry, "state"> & {
  readonly title: string;
  readonly detail: string | undefined;
};

/** Which fields of a later event were ignored. */
export function sayIgnored({ fields }: NonNullable<Trace["ignored"]>[number]): string {
  const were = fields.length === 1 ? "was" : "were";
  return `Its ${list(fields.map((field) => field.replaceAll("_", " ")))} ${were} ignored: the stored values do not change.`;
}

type Said = readonly [title: string, detail?: string | undefined, state?: TimeLineEntry["state"]];

/** @param links have the names of saved deals */
export function sayStep(step: Step, links: readonly Link[], reader: Reader): SaidStep {
  const [title, detail, state = "done"] = say(step, links, reader);
  return { title, detail, state };
}

function say(step: Step, links: readonly Link[], reader: Reader): Said {
  switch (step.kind) {
    case "received":
      return ["Received", "The integrator sent its first event."];
    case "authorized":
      return ["Card authorized", paidWhere(step)];
    case "cleared":
      return ["Purchase cleared", amountOf(step)];
    case "reverted":
      return ["Purchase reverted", amountOf(step), "stopped"];
    case "sent_to_platform":
      return ["Sent to the platform", "Without anything that names the member or the card."];
    case "stamp":
      return [stampName(step, true), STAMP_STATES[step.state]];
    case "stamp_voided":
      return [`Stamp taken back${ofProgram(step)}`, counterOf(step.unredeemed_purchases), "stopped"];
    case "redemption":
    case "redemption_undone":
      return sayRedemption(step);
    case "cashback":
      return [`${moneyText(step.amount, step.currency)} cashback`, sourceOf(step, links)];
    case "cashback_cleared":
      return [`${moneyText(step.amount, step.currency)} cashback cleared`, sourceOf(step, links)];
    case "cashback_reverted":
      return [
        `${moneyText(step.amount, step.currency)} cashback taken back`,
        sourceOf(step, links),
        "stopped",
      ];
    case "event":
      return [`Webhook event ${step.event_type}`];
    case "delivery":
      return sayDelivery(step, reader);
  }
}

const STAMP_STATES = {
  live: "It counts on the card.",
  redeemed: "It was redeemed with a full card.",
  voided: "It was taken back later.",
} as const;

function paidWhere(step: Extract<Step, { kind: "authorized" }>): string {
  const paid = amountOf(step);
  const descriptor = step.statement_descriptor === undefined ? "" : `, “${step.statement_descriptor}”`;
  return `${paid === undefined ? "" : `${paid} `}at merchant ${step.merchant_id}${descriptor}, by ${NETWORKS[step.network] ?? step.network}`;
}

const NETWORKS: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  other: "another network",
};

function amountOf({
  amount,
  currency,
}: {
  readonly amount?: number;
  readonly currency?: string;
}): string | undefined {
  return amount === undefined ? undefined : moneyText(amount, currency);
}

function ofProgram({ program_name: name }: { readonly program_name?: string }): string {
  return name === undefined ? "" : ` · ${name}`;
}

function counterOf(counter: number | undefined): string | undefined {
  return counter === undefined ? undefined : `The card then had ${count(counter, "stamp")}.`;
}

function sayRedemption(step: RedemptionStep): Said {
  const { stamps_total, amount, currency } = step;
  const stamps = count(stamps_total, "stamp");
  if (step.kind === "redemption_undone") {
    return [
      `Full card undone${ofProgram(step)}`,
      "Its cashback was taken back, and its other stamps count again.",
      "stopped",
    ];
  }
  return [`Card full${ofProgram(step)}`, `${stamps} gave ${moneyText(amount, currency)} cashback.`];
}

function sourceOf({ source }: Pick<CashbackStep, "source">, links: readonly Link[]): string {
  if (source.type === "loyalty-program-redemption") return "For a full card.";
  const saved = links.find((link) => link.type === "clip" && link.deal_id === source.deal_id);
  return saved?.name === undefined ? "For a saved deal." : `For the saved deal ${saved.name}.`;
}

function sayDelivery(step: DeliveryStep, reader: Reader): Said {
  const { state, webhook_url, attempts, next_attempt_at } = step;
  const answer = answerOf(step);
  const after = attempts > 1 ? ` after ${count(attempts, "attempt")}` : "";
  const next = next_attempt_at === undefined ? "" : ` Tried again ${moment(next_attempt_at, reader)}.`;
  const detail = `${webhook_url}${answer === undefined ? "" : ` · ${answer}`}.${next}`;
  switch (state) {
    case "delivered":
      return [`Webhook told${after}`, detail];
    case "pending":
      return [attempts === 0 ? "Webhook about to be told" : `Webhook not told${after}`, detail, "waiting"];
    case "failed":
      return [`Webhook refused to be told${after}`, detail, "stopped"];
    case "split":
      return ["Delivery split", `${detail} Its events are sent one by one.`, "waiting"];
  }
}

function answerOf({ status, error_class }: DeliveryStep): string | undefined {
  return status === undefined ? error_class?.replaceAll("_", " ") : `status ${status}`;
}
