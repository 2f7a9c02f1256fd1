import type { WebhookEvent } from "#contract";
import type { JudgedSection } from "../report.ts";
import { countCard, type RewardPlan } from "../rewards/reward-plan.ts";

/** What webhooks are told of a run. */
export interface EventCounts {
  /**
   * Stamps made, less those voided: a purchase that is reverted on its way may have had a stamp before, which is voided,
   * or may never have one (see `Ending`).
   */
  readonly stamps: number;
  readonly unredeemed: number;
  readonly cashbacksCreated: number;
  readonly cashbacksCleared: number;
  readonly cashbacksReverted: number;
  readonly rejected: number;
}

/**
 * The demo's own count, by arithmetic alone.
 * @param plan undefined: nothing is rewarded
 * @param rejected events that were rejected and whose request was answered 202
 */
export function countEvents(plan: RewardPlan | undefined, rejected: number): EventCounts {
  const cards = (plan?.wallets ?? []).flatMap(({ cards }) =>
    cards.map((card) => {
      const { threshold } = card.retailer.program;
      return { threshold, before: countCard(card, true), end: countCard(card, false) };
    }),
  );
  const total = (count: (card: (typeof cards)[number]) => number) =>
    cards.reduce((sum, card) => sum + count(card), 0);
  return {
    stamps: total(({ threshold, end }) => end.unredeemed + end.redemptions * threshold),
    // Of a full card whose redemption is undone all but the one that is reverted count again.
    unredeemed: total(
      ({ threshold, before, end }) => (before.redemptions - end.redemptions) * (threshold - 1),
    ),
    cashbacksCreated: total(({ end }) => end.pending + end.cleared + end.reverted),
    cashbacksCleared: total(({ end }) => end.cleared),
    cashbacksReverted: total(({ end }) => end.reverted),
    rejected,
  };
}

const NAMES: Readonly<Record<keyof EventCounts, string>> = {
  stamps: "qualifying_purchase.created, less voided",
  unredeemed: "qualifying_purchase.unredeemed",
  cashbacksCreated: "cashback.created",
  cashbacksCleared: "cashback.cleared",
  cashbacksReverted: "cashback.reverted",
  rejected: "transaction.rejected",
};

/** What the webhook was sent, beside the demo's own count. */
export function judgeEvents(expected: EventCounts, received: ReceivedEvents): JudgedSection {
  const { counts, outOfOrder, refused, faults } = received;
  const names = Object.keys(NAMES) as (keyof EventCounts)[];
  return {
    section: {
      title: "events told",
      source: "webhook",
      rows: [
        ...names.map((name) => ({ name: NAMES[name], expected: expected[name], actual: counts[name] })),
        { name: "before what they follow", expected: 0, actual: outOfOrder },
        { name: "deliveries that do not verify", expected: 0, actual: refused },
      ],
    },
    examples: faults,
  };
}

export function isComplete(expected: EventCounts, { counts }: ReceivedEvents): boolean {
  return (Object.keys(NAMES) as (keyof EventCounts)[]).every((name) => expected[name] === counts[name]);
}

const EXAMPLES = 5;

/** The events of one run that a webhook was sent, each counted once however often it came. */
export class ReceivedEvents {
  /** What was wrong, for people: some of it, if there is much. */
  readonly faults: string[] = [];
  /** Events that came before what they follow. */
  outOfOrder = 0;
  /** Requests that were not what they should be. */
  refused = 0;
  readonly #prefix: string;
  readonly #seen = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #byType = new Map<WebhookEvent["type"], number>();

  /** @param prefix of the `external_id`s of the run: the organisation may have others */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(event: WebhookEvent): void {
    if (event.type === "webhook.test" || !event.transaction_ref.startsWith(this.#prefix)) return;
    if (this.#seen.has(event.event_id)) return;
    this.#seen.add(event.event_id);
    this.#byType.set(event.type, this.#of(event.type) + 1);
    if (event.type === "transaction.rejected") return;
    const subject = "cashback_id" in event ? event.cashback_id : event.qualifying_purchase_id;
    if (event.type.endsWith(".created")) this.#begun.add(subject);
    if (this.#begun.has(subject)) return;
    this.outOfOrder++;
    this.#note(`${event.type} of ${subject} came before it was created`);
  }

  /** @param reason why a request was refused */
  refuse(reason: string): void {
    this.refused++;
    this.#note(`a delivery was refused: ${reason}`);
  }

  get counts(): EventCounts {
    return {
      stamps: this.#of("qualifying_purchase.created") - this.#of("qualifying_purchase.voided"),
      unredeemed: this.#of("qualifying_purchase.unredeemed"),
      cashbacksCreated: this.#of("cashback.created"),
      cashbacksCleared: this.#of("cashback.cleared"),
      cashbacksReverted: this.#of("cashback.reverted"),
      rejected: this.#of("transaction.rejected"),
    };
  }

  #of(type: WebhookEvent["type"]): number {
    return this.#byType.get(type) ?? 0;
  }

  #note(fault: string): void {
    if (this.faults.length < EXAMPLES) this.faults.push(fault);
  }
}
