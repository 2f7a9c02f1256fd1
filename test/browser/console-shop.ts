import { randomUUID } from "node:crypto";
import type { TransactionEvent } from "#contract";
import { transactionIdentifiers } from "#domain";
import { makeEvent, type PlatformClient, type PublisherClient, type RawAnswer } from "#test-support";

const SHOP = "M-COFFEE-1";
/** Values that occur nowhere else by chance: no answer of the console may hold them. */
export const CARD = { authCode: "CANARY7Q", bin: "98170463" };
/** Ingest cannot store payments of this merchant while the scene's constraint stands. */
export const REFUSED_MERCHANT = "M-REFUSED";

const DISPLAY_CONTENT = {
  title: "Coffee on the house",
  image: "https://example.com/coffee.jpg",
  summary: "The fifth coffee is free",
  description: "Pay with your card, and the fifth coffee is paid back.",
  terms: "One stamp for each purchase.",
};

export async function succeeds(answer: Promise<RawAnswer>): Promise<RawAnswer["body"]> {
  const { status, body } = await answer;
  if (status !== 200 && status !== 202) throw new Error(JSON.stringify(body));
  return body;
}

/** A retailer with a program and a deal. */
export interface Shop {
  readonly retailerId: string;
  readonly programId: string;
  readonly dealId: string;
  /** The retailer's half of purchases: without it they earn nothing. */
  pay(events: readonly TransactionEvent[]): Promise<void>;
}

export async function openShop(operator: PlatformClient): Promise<Shop> {
  const retailer = await succeeds(
    operator.post("retailer/upsert", { name: "Coffee Corner", merchant_ids: [SHOP, REFUSED_MERCHANT] }),
  );
  const program = await succeeds(
    operator.post("loyalty-program/upsert", {
      name: "Coffee card",
      qualifying_threshold: 5,
      reward_config: { type: "fixed-reward", amount: 350 },
      display_content: DISPLAY_CONTENT,
      rules: { merchant_ids: [SHOP], min_amount: 200, currency: "EUR" },
    }),
  );
  const deal = await succeeds(
    operator.post("deal/upsert", {
      name: "Ten per cent this month",
      reward_config: { type: "percent", percent: 10, max_amount: 500 },
      display_content: { ...DISPLAY_CONTENT, title: "Ten per cent off" },
      rules: { merchant_ids: [SHOP] },
    }),
  );
  return {
    retailerId: retailer.id,
    programId: program.id,
    dealId: deal.id,
    async pay(events) {
      const payments = events.map(paymentOf);
      await succeeds(operator.post("payment/ingest", { retailer_id: retailer.id, payments }));
    },
  };
}

/** The retailer's half of a purchase: it hashes the same card data. */
function paymentOf(event: TransactionEvent) {
  const { auth_code: authCode, network, bin, merchant_id: merchantId } = event;
  const { six } = transactionIdentifiers({ authCode, network, bin, merchantId });
  return {
    payment_id: `till-${event.external_id}`,
    identifiers: [six],
    amount: event.amount ?? 0,
    currency: event.currency ?? "EUR",
    paid_at: event.authed_at,
  };
}

/** Purchases in the shop at this time, each with a card of its own. */
export function coffees(
  memberId: string,
  count: number,
  changes: Partial<TransactionEvent> = {},
): TransactionEvent[] {
  return Array.from({ length: count }, () =>
    makeEvent(memberId, {
      auth_code: CARD.authCode + randomUUID().slice(0, 8),
      bin: CARD.bin,
      merchant_id: SHOP,
      amount: 450,
      currency: "EUR",
      authed_at: new Date().toISOString(),
      ...changes,
    }),
  );
}

/** Both halves of purchases. */
export async function buy(
  publisher: PublisherClient,
  shop: Shop,
  events: readonly TransactionEvent[],
): Promise<void> {
  await succeeds(publisher.ingest(events));
  await shop.pay(events);
}
