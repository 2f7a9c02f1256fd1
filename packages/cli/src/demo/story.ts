import { PlatformClient, type StampedeClient, type WebhookEvent } from "#client";
import type { TransactionEvent } from "#contract";
import { CommandError } from "../command-error.ts";
import { EventInbox } from "../simulate/event-inbox.ts";
import { identifiersOf } from "../simulate/purchases.ts";
import type { Terminal } from "../terminal.ts";
import { type Cast, type PlatformAccess, PROGRAM } from "./shop.ts";

interface StoryTools {
  readonly client: StampedeClient;
  readonly platform: PlatformAccess;
  readonly cast: Cast;
  readonly terminal: Terminal;
  readonly tag: string;
}

const AMOUNT = 450;
/** More than an event takes on a busy machine, unless a process restarts. */
const EVENT_WITHIN_MS = 10_000;

/** One purchase from the card to the webhook, told as it happens. */
export class Story {
  readonly #tools: StoryTools;
  readonly #inbox: EventInbox;
  readonly #told = new Map<WebhookEvent["type"], number>();
  #begunAt = 0;
  #isTold = false;

  constructor(tools: StoryTools) {
    this.#tools = tools;
    this.#inbox = new EventInbox(
      (ref) => ref.startsWith(this.#prefix),
      (event) => this.#hear(event),
    );
  }

  /** Takes every event of the webhook, of other purchases too. */
  add(event: WebhookEvent): void {
    this.#inbox.add(event);
  }

  /**
   * Ada has two stamps, and makes her third purchase.
   * @throws CommandError if an expected event does not come
   */
  async tell(): Promise<void> {
    const { platform: access, terminal } = this.#tools;
    const platform = new PlatformClient({ baseUrl: access.url, token: access.token });
    try {
      await this.#buyBefore(platform);
      terminal.out(
        "One purchase, from the card to the webhook. Ada has two stamps of Corner Coffee already.",
      );
      terminal.out("");
      this.#begunAt = performance.now();
      this.#isTold = true;
      await this.#buy(platform);
    } finally {
      await platform.close();
    }
  }

  /** Sorts before the load's ids: after a take-over ingest looks up every id that does not sort after all stored ones. */
  get #prefix(): string {
    return `stampede-demo-ada-${this.#tools.tag}-`;
  }

  async #buyBefore(platform: PlatformClient): Promise<void> {
    const events = Array.from({ length: PROGRAM.threshold - 1 }, (_, i) => this.#purchase(String(i + 1)));
    await this.#tools.client.ingest(events);
    await this.#pay(platform, events);
    await this.#await(events.map(() => "qualifying_purchase.created" as const));
  }

  async #buy(platform: PlatformClient): Promise<void> {
    const { client } = this.#tools;
    const event = this.#purchase("last");
    this.#say("Ada pays 4.50 EUR by card. Her bank authorizes it and reports it to Stampede");
    const authorized = await timed(() => client.ingest([event]));
    this.#say(`  answered after its commit in PostgreSQL, in ${authorized} ms`);
    const paidAt = performance.now();
    this.#say("Corner Coffee reports the payment to the platform, by a hash in place of the card");
    const paid = await timed(() => this.#pay(platform, [event]));
    this.#say(`  taken in ${paid} ms`);
    await this.#await(["qualifying_purchase.created", "cashback.created"]);
    this.#say(
      `the stamp was at the webhook ${this.#after("qualifying_purchase.created", paidAt)} the payment`,
    );
    const clearedAt = performance.now();
    this.#say("the bank clears the purchase");
    const cleared = await timed(() => client.ingest([{ ...event, cleared_at: new Date().toISOString() }]));
    this.#say(`  answered after its commit, in ${cleared} ms`);
    await this.#await(["cashback.cleared"]);
    this.#say(`the money was at the webhook ${this.#after("cashback.cleared", clearedAt)} the clearing`);
  }

  #purchase(name: string): TransactionEvent {
    const { tag, cast } = this.#tools;
    return {
      member_id: cast.adaId,
      external_id: this.#prefix + name,
      auth_code: `${tag}-ada-${name}`,
      network: "visa",
      bin: "45717360",
      merchant_id: PROGRAM.merchantId,
      amount: AMOUNT,
      currency: "EUR",
      authed_at: new Date().toISOString(),
    };
  }

  async #pay(platform: PlatformClient, events: readonly TransactionEvent[]): Promise<void> {
    const payments = events.map((event) => ({
      payment_id: event.external_id,
      identifiers: identifiersOf(event),
      amount: AMOUNT,
      currency: "EUR",
      paid_at: event.authed_at,
    }));
    await platform.call("payment/ingest", { retailer_id: this.#tools.cast.retailerId, payments });
  }

  async #await(types: readonly WebhookEvent["type"][]): Promise<void> {
    const missing = await this.#inbox.take(types, EVENT_WITHIN_MS);
    if (missing.length === 0) return;
    throw new CommandError(
      `${missing.join(", ")} did not come within ${EVENT_WITHIN_MS / 1000} s: see \`stampede status\``,
    );
  }

  #hear(event: WebhookEvent): void {
    if (!this.#isTold) return;
    this.#told.set(event.type, performance.now());
    this.#say(`  webhook ${event.type}: ${meaningOf(event)}`);
  }

  #after(type: WebhookEvent["type"], since: number): string {
    return `${((this.#told.get(type) ?? Number.NaN) - since).toFixed(0)} ms after`;
  }

  #say(text: string): void {
    const at = performance.now() - this.#begunAt;
    this.#tools.terminal.out(`${at.toFixed(0).padStart(7)} ms  ${text}`);
  }
}

function meaningOf(event: WebhookEvent): string {
  switch (event.type) {
    case "qualifying_purchase.created":
      return "her third stamp of three";
    case "cashback.created":
      return `${money(event.amount)} ${event.currency} for the full card`;
    case "cashback.cleared":
      return `the ${money(event.amount)} ${event.currency} are hers`;
    default:
      return JSON.stringify(event);
  }
}

const money = (minor: number): string => (minor / 100).toFixed(2);

/** @returns how long the work took, in milliseconds to a tenth */
async function timed(work: () => Promise<unknown>): Promise<string> {
  const at = performance.now();
  await work();
  return (performance.now() - at).toFixed(1);
}
