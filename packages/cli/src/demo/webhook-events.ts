import type { StampedeClient } from "#client";
import type { WebhookEvent } from "#contract";
import { openWebhook } from "./own-webhook.ts";
import { readUntil } from "./read-until.ts";
import { type Section, sum } from "./report.ts";
import { countCard, type RewardPlan } from "./rewards/plan-rewards.ts";

/**
 * Has a webhook of this machine told of the run.
 * @param prefix of the `external_id`s of the run
 * @returns why there is none, if nothing can be sent here
 */
export async function prepareEvents(client: StampedeClient, prefix: string) {
  const received = new ReceivedEvents(prefix);
  const webhook = await openWebhook(
    client,
    (event) => received.add(event),
    (reason) => received.refuse(reason),
  );
  if (typeof webhook === "string") return webhook;
  return {
    /** Waits until everything has come that must, but at most so long, and says what has come. */
    async judge(expected: EventCounts, settleMs: number): Promise<Section> {
      const limits = { forMs: settleMs, everyMs: 50 };
      await readUntil(
        async () => received,
        (events) => isComplete(expected, events),
        limits,
      );
      return judgeEvents(expected, received);
    },
    end: () => webhook.end(),
  };
}

/** How many of each type a webhook is told of a run, by the name in the report. */
export type EventCounts = ReturnType<typeof countEvents>;

/**
 * The demo's own count, by arithmetic alone.
 * @param plan undefined: nothing is rewarded
 * @param rejected events that were rejected and whose request was answered 202
 */
export function countEvents(plan: RewardPlan | undefined, rejected: number) {
  const cards = (plan?.wallets ?? []).flatMap(({ cards }) =>
    cards.map((card) => {
      const { threshold } = card.retailer.program;
      return { threshold, before: countCard(card, true), end: countCard(card, false) };
    }),
  );
  const total = (count: (card: (typeof cards)[number]) => number) => sum(cards.map(count));
  return {
    // A purchase that is reverted on its way may have had a stamp before, which is voided, or may never have one (see
    // `Ending`).
    "qualifying_purchase.created, less voided": total(
      ({ threshold, end }) => end.unredeemed + end.redemptions * threshold,
    ),
    // Of a full card whose redemption is undone all but the one that is reverted count again.
    "qualifying_purchase.unredeemed": total(
      ({ threshold, before, end }) => (before.redemptions - end.redemptions) * (threshold - 1),
    ),
    "cashback.created": total(({ end }) => end.pending + end.cleared + end.reverted),
    "cashback.cleared": total(({ end }) => end.cleared),
    "cashback.reverted": total(({ end }) => end.reverted),
    "transaction.rejected": rejected,
  };
}

const namesOf = (counts: EventCounts) => Object.keys(counts) as (keyof EventCounts)[];

/** What the webhook was sent, beside the demo's own count. */
export function judgeEvents(expected: EventCounts, received: ReceivedEvents): Section {
  const { counts, outOfOrder, refused, faults } = received;
  const rows = namesOf(expected).map((name) => ({ name, expected: expected[name], actual: counts[name] }));
  return {
    title: "events told",
    source: "webhook",
    rows: [
      ...rows,
      { name: "before what they follow", expected: 0, actual: outOfOrder },
      { name: "deliveries that do not verify", expected: 0, actual: refused },
    ],
    examples: faults,
  };
}

export function isComplete(expected: EventCounts, { counts }: ReceivedEvents): boolean {
  return namesOf(expected).every((name) => expected[name] === counts[name]);
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
      "qualifying_purchase.created, less voided":
        this.#of("qualifying_purchase.created") - this.#of("qualifying_purchase.voided"),
      "qualifying_purchase.unredeemed": this.#of("qualifying_purchase.unredeemed"),
      "cashback.created": this.#of("cashback.created"),
      "cashback.cleared": this.#of("cashback.cleared"),
      "cashback.reverted": this.#of("cashback.reverted"),
      "transaction.rejected": this.#of("transaction.rejected"),
    };
  }

  #of(type: WebhookEvent["type"]): number {
    return this.#byType.get(type) ?? 0;
  }

  #note(fault: string): void {
    if (this.faults.length < EXAMPLES) this.faults.push(fault);
  }
}
