import type { Test } from "tap";
import type { TransactionEvent, WebhookEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { toldBody } from "#publisher-db";
import {
  isLoopAtRest,
  makeEvent,
  type Pipeline,
  type PipelineOptions,
  PlatformClient,
  PlatformLink,
  PublisherClient,
  type RawAnswer,
  startPipeline,
  waitFor,
} from "#test-support";

/** A purchase as the integrator, the card scheme and the retailer know it. */
export interface Purchase {
  /** Its name in the test. */
  readonly name: string;
  readonly event: TransactionEvent;
}

/** Calls an API, and returns the answer's body. @throws Error unless the answer is 200 */
type Api = (route: string, body: object) => Promise<RawAnswer["body"]>;

export const DISPLAY_CONTENT = {
  title: "T",
  image: "https://a.example/i",
  summary: "S",
  description: "D",
  terms: "C",
};

/**
 * The whole loop as processes, with everyone who takes part, each with their own token and over HTTP alone:
 * the integrator at `publisher.v1`; the platform's operator and a retailer's software at `platform.v1`. The
 * events for webhooks are read from the table of events.
 */
export class LoyaltyLoop {
  readonly pipeline: Pipeline;
  readonly integrator: PublisherClient;
  readonly operator: PlatformClient;
  readonly #platformUrl: string | undefined;
  readonly #link: PlatformLink;
  readonly #retailers = new Map<string, PlatformClient>();
  readonly #names = new Map<string, string>();
  #purchases = 0;

  static async open(t: Test, options: PipelineOptions = {}): Promise<LoyaltyLoop> {
    const pipeline = await startPipeline(options);
    t.teardown(() => pipeline.stop());
    await pipeline.start("rewards");
    const platform = await pipeline.start("platform");
    const link = await PlatformLink.open(pipeline);
    t.teardown(() => link.close());
    return new LoyaltyLoop(pipeline, platform.url, await pipeline.newPlatformToken(), link);
  }

  private constructor(
    pipeline: Pipeline,
    platformUrl: string | undefined,
    token: string,
    link: PlatformLink,
  ) {
    this.pipeline = pipeline;
    this.integrator = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    this.operator = new PlatformClient(platformUrl, token);
    this.#platformUrl = platformUrl;
    this.#link = link;
  }

  readonly publisher: Api = (route, body) => this.integrator.call(route, body);
  readonly platform: Api = (route, body) => this.operator.call(route, body);

  /** Makes a retailer with this merchant id, and its software. */
  async opensShop(name: string, merchantId: string): Promise<void> {
    const { token } = await this.platform("retailer/upsert", { name, merchant_ids: [merchantId] });
    this.#retailers.set(merchantId, new PlatformClient(this.#platformUrl, token));
  }

  /**
   * Makes a program or deal at the platform; resolves once the publisher shows it. Purchases here have a
   * fixed date, and members join today, so it counts earlier purchases too, unless its rules say otherwise.
   */
  async offers(
    kind: "loyalty-program" | "deal",
    fields: { rules: object; [field: string]: unknown },
  ): Promise<string> {
    const { id } = await this.platform(`${kind}/upsert`, {
      display_content: DISPLAY_CONTENT,
      ...fields,
      rules: { retroactive: true, ...fields.rules },
    });
    const isShown = async () => (await this.integrator.post(`${kind}/get`, { id })).status === 200;
    await waitFor(isShown, { message: `the publisher does not show the ${kind}` });
    return id;
  }

  async joins(ref: string): Promise<string> {
    return (await this.integrator.enrol(ref))[0] as string;
  }

  /** Resolves to the stamp collection. */
  async enrols(member: string, program: string): Promise<string> {
    const request = { loyalty_program_id: program, member_id: member };
    return (await this.publisher("wallet.stamp-collection/create", request)).id;
  }

  /** Resolves to the clip. */
  async saves(member: string, deal: string): Promise<string> {
    return (await this.publisher("wallet.clip/save", { deal_id: deal, member_id: member })).id;
  }

  /** The integrator ingests an authorization, of 4.50 EUR by default. */
  async buys(member: string, name: string, changes: Partial<TransactionEvent> = {}): Promise<Purchase> {
    const auth_code = `A${++this.#purchases}`;
    const event = makeEvent(member, { auth_code, amount: 450, currency: "EUR", ...changes });
    this.#names.set(event.external_id, name);
    await this.integrator.apply([event]);
    return { name, event };
  }

  /** The integrator ingests another event of a purchase, such as its clearing. */
  async changes({ event }: Purchase, changes: Partial<TransactionEvent>): Promise<void> {
    await this.integrator.apply([{ ...event, ...changes }]);
  }

  /**
   * The retailer's software reports the payment to the platform. It computes the same identifiers from the
   * card data.
   */
  async paid({ event }: Purchase, changes: { amount?: number; currency?: string } = {}): Promise<void> {
    const { external_id, auth_code, network, bin, merchant_id, authed_at } = event;
    const { six } = transactionIdentifiers({ authCode: auth_code, network, bin, merchantId: merchant_id });
    const payment = { amount: event.amount, currency: event.currency, ...changes };
    const payments = [{ payment_id: `P-${external_id}`, identifiers: [six], paid_at: authed_at, ...payment }];
    const retailer = this.#retailers.get(merchant_id) as PlatformClient;
    await retailer.call("payment/ingest", { payments });
  }

  /** Waits until everything that was sent is known everywhere, and no more work follows from it. */
  async settles(): Promise<void> {
    await waitFor(() => isLoopAtRest(this.pipeline, this.#link), {
      message: "something is still under way",
    });
  }

  /** `unredeemed_purchases` of a stamp collection. */
  async counter(collection: string): Promise<number> {
    return (await this.publisher("wallet.stamp-collection/get", { id: collection })).unredeemed_purchases;
  }

  async transaction({ event }: Purchase): Promise<RawAnswer["body"]> {
    return this.publisher("transaction/get", { external_id: event.external_id });
  }

  /** The events for webhooks, in order. */
  async events(): Promise<WebhookEvent[]> {
    const rows = await this.pipeline.store<{ body: string }[]>`
      select ${toldBody(this.pipeline.store)} as body from events e
      where organisation_id = ${this.pipeline.publisher.organisationId}
      order by sequence`;
    return rows.map(({ body }) => JSON.parse(body) as WebhookEvent);
  }

  /**
   * The events of these purchases, one a line: `qualifying_purchase.created A 1`,
   * `cashback.created A 300 EUR (clip)`.
   */
  async told(...purchases: readonly Purchase[]): Promise<string[]> {
    const refs = new Set(purchases.map(({ event }) => event.external_id));
    return (await this.events()).flatMap((event) => {
      if (!("transaction_ref" in event) || !refs.has(event.transaction_ref)) return [];
      return [`${event.type} ${this.#names.get(event.transaction_ref)} ${said(event)}`];
    });
  }
}

function said(event: WebhookEvent): string | number {
  if ("unredeemed_purchases" in event) return event.unredeemed_purchases;
  if (!("source" in event)) return "";
  const source = event.source.type === "clip" ? "clip" : "redemption";
  return `${event.amount} ${event.currency} (${source})`;
}
