import { randomBytes } from "node:crypto";
import { type StampedeClient, StampedeError } from "#client";
import { EVENT_TYPES, type WebhookEvent } from "#contract";
import { createWebhookSecret } from "#domain";
import { listenForWebhooks } from "../listen/webhook-listener.ts";
import { readUntil } from "./read-until.ts";
import { type Section, sum } from "./report.ts";
import { countCard, type RewardPlan } from "./rewards/plan-rewards.ts";

const DESCRIPTION = "made by stampede demo";

/** A webhook for the time of one run, whose receiver is the demo itself. */
export type EventRun = Exclude<Awaited<ReturnType<typeof prepareEvents>>, string>;

/**
 * Registers a webhook of this machine and has it tested.
 * @param prefix of the `external_id`s of the run
 * @returns why there is none, if nothing can be sent here
 */
export async function prepareEvents(client: StampedeClient, prefix: string) {
  await removeAbandoned(client);
  const received = new ReceivedEvents(prefix);
  // Of our own, so that it is known before the first delivery can come.
  const secret = createWebhookSecret(randomBytes(32));
  const listener = await listenForWebhooks(0, secret, {
    take: (event) => received.add(event),
    refused: ({ message }) => received.refuse(message),
  });
  let id: string | undefined;
  const end = async (): Promise<void> => {
    try {
      if (id !== undefined) await client.call("webhook/delete", { id });
    } finally {
      await listener.close();
    }
  };
  let reason: string | undefined;
  try {
    id = await register(client, listener.url, secret);
    reason = id === undefined ? "webhooks may not be sent to this machine" : await tryOut(client, id);
  } catch (error) {
    await end();
    throw error;
  }
  if (reason !== undefined) {
    await end();
    return reason;
  }
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
    end,
  };
}

/** The new webhook's id. undefined: the installation does not take such a target. */
async function register(client: StampedeClient, url: string, secret: string): Promise<string | undefined> {
  const webhook = { url, secret, events: [...EVENT_TYPES], description: DESCRIPTION };
  try {
    return (await client.call("webhook/create", webhook)).id;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "bad_request") return undefined;
    throw error;
  }
}

/** Why a test does not arrive; undefined: it does. */
async function tryOut(client: StampedeClient, id: string): Promise<string | undefined> {
  try {
    const { delivered, error_class } = await client.call("webhook/test", { id });
    return delivered ? undefined : `a test of them ended with ${error_class}`;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "unavailable") return "no process sends webhooks";
    throw error;
  }
}

/** Those of runs that were cut off: nobody listens there any more. */
async function removeAbandoned(client: StampedeClient): Promise<void> {
  const { data } = await client.call("webhook/list", {});
  for (const { id, description, failing_since } of data) {
    if (description === DESCRIPTION && failing_since !== undefined)
      await client.call("webhook/delete", { id });
  }
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
