import type { Test } from "tap";
import type { TransactionEvent, WebhookEvent } from "#contract";
import type { DealOutcome, PurchaseOutcome } from "#contract/platform";
import {
  CLEARED_AT,
  makeEvent,
  type Pipeline,
  type PipelineOptions,
  PlatformLink,
  type ProgramTerms,
  PublisherClient,
  REVERTED_AT,
  readMetric,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";

/** An ingested transaction. */
export interface Purchase {
  readonly id: string;
  readonly event: TransactionEvent;
}

export const FIXED: ProgramTerms = {
  qualifying_threshold: 2,
  reward_config: { type: "fixed-reward", amount: 300 },
  currency: "EUR",
};
export const REFUND: ProgramTerms = { qualifying_threshold: 1, reward_config: { type: "refund" } };

export const CLEARED = { cleared_at: CLEARED_AT };
export const REVERTED = { reverted_at: REVERTED_AT };

/** A pipeline with a rewards process, seen from both ends: the integrator's and the platform's. */
export class RewardScene {
  readonly pipeline: Pipeline;
  readonly rewards: ServiceProcess;
  readonly link: PlatformLink;
  readonly client: PublisherClient;
  #members = 0;
  #outcomes = 0;

  static async open(t: Test, options: PipelineOptions = {}): Promise<RewardScene> {
    const pipeline = await startPipeline(options);
    t.teardown(() => pipeline.stop());
    const rewards = await pipeline.start("rewards");
    const link = await PlatformLink.open(pipeline);
    t.teardown(() => link.close());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    return new RewardScene({ pipeline, rewards, link, client });
  }

  constructor(parts: Pick<RewardScene, "pipeline" | "rewards" | "link" | "client">) {
    this.pipeline = parts.pipeline;
    this.rewards = parts.rewards;
    this.link = parts.link;
    this.client = parts.client;
  }

  /** The same scene with another rewards process instead of this one. */
  with(rewards: ServiceProcess): RewardScene {
    return new RewardScene({ ...this, rewards });
  }

  async member(): Promise<string> {
    const [id] = await this.client.enrol(`member ${++this.#members}`);
    return id as string;
  }

  /** A new program, and the member's stamp collection in it. */
  async card(member: string, terms: ProgramTerms): Promise<string> {
    const program = await this.link.configure(terms);
    await this.rest();
    return this.enrol(member, program);
  }

  async enrol(member: string, program: string): Promise<string> {
    const request = { loyalty_program_id: program, member_id: member };
    return (await this.must("wallet.stamp-collection/create", request)).id;
  }

  /** Makes a deal and waits until it shows; resolves to its id. */
  async offer(): Promise<string> {
    const deal = await this.link.offer();
    await this.rest();
    return deal;
  }

  async clip(member: string, deal: string): Promise<string> {
    return (await this.must("wallet.clip/save", { deal_id: deal, member_id: member })).id;
  }

  /** An authorization, of 4.50 EUR by default. */
  async buy(member: string, changes: Partial<TransactionEvent> = {}): Promise<Purchase> {
    const event = makeEvent(member, { amount: 450, currency: "EUR", ...changes });
    await this.client.apply([event]);
    return { event, id: (await this.must("transaction/get", { external_id: event.external_id })).id };
  }

  /** Six at once. */
  async buySix(member: string): Promise<[Purchase, Purchase, Purchase, Purchase, Purchase, Purchase]> {
    const buy = () => this.buy(member);
    return Promise.all([buy(), buy(), buy(), buy(), buy(), buy()]);
  }

  /** A later event of the purchase, such as `CLEARED`. */
  async change({ event }: Purchase, changes: Partial<TransactionEvent>): Promise<void> {
    await this.client.apply([{ ...event, ...changes }]);
  }

  stamp(purchase: Purchase, card: string, money: Partial<PurchaseOutcome> = {}): PurchaseOutcome {
    return {
      outcome_id: `out_${++this.#outcomes}`,
      transaction_id: purchase.id,
      type: "qualifying_purchase",
      stamp_collection_id: card,
      ...money,
    };
  }

  deal(purchase: Purchase, clip: string, amount = 120): DealOutcome {
    return {
      outcome_id: `out_${++this.#outcomes}`,
      transaction_id: purchase.id,
      type: "deal",
      clip_id: clip,
      amount,
      currency: "SEK",
    };
  }

  async rest(): Promise<void> {
    await waitFor(() => this.link.isAtRest(), { message: "not all is handled" });
  }

  async counter(card: string): Promise<number> {
    return (await this.must("wallet.stamp-collection/get", { id: card })).unredeemed_purchases;
  }

  /** As `wallet.cashback/list` shows them, `B 300 EUR pending`, with purchases by their letters. */
  async cashbacks(member: string, named: Readonly<Record<string, Purchase>>): Promise<string[]> {
    const { data } = await this.must("wallet.cashback/list", { member_id: member });
    const letters = lettersOf(named);
    return data.map(
      (one: { transaction_ref: string; amount: number; currency: string; state: string }) =>
        `${letters.get(one.transaction_ref)} ${one.amount} ${one.currency} ${one.state}`,
    );
  }

  /** The events for webhooks, in the order of the table. */
  async bodies(): Promise<WebhookEvent[]> {
    const rows = await this.pipeline.store<{ body: string }[]>`select body from events order by sequence`;
    return rows.map(({ body }) => JSON.parse(body));
  }

  /** All rows that rewards has written. */
  async everything() {
    const { store } = this.pipeline;
    return {
      stamps: await store`select * from qualifying_purchases order by id`,
      redemptions: await store`select * from redemptions order by id`,
      cashbacks: await store`select * from cashbacks order by id`,
      collections: await store`select * from stamp_collections order by id`,
      clips: await store`select * from clips order by id`,
      events: await store`select * from events order by sequence`,
    };
  }

  /** How many outcomes have had this result so far. */
  count(result: string): Promise<number> {
    return readMetric(this.rewards, "stampede_rewards_outcomes_total", `result="${result}"`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  async must(route: string, body: object): Promise<any> {
    const answer = await this.client.post(route, body);
    if (answer.status !== 200) {
      throw new Error(`${route} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }
}

function lettersOf(named: Readonly<Record<string, Purchase>>): Map<string, string> {
  return new Map(Object.entries(named).map(([letter, { event }]) => [event.external_id, letter]));
}
