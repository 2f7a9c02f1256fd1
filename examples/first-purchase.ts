/**
 * The first purchase, from both sides: a shop and its stamp card on the platform, a member who pays there, the shop's own
 * payment, and the event that tells of the stamp.
 *
 *   node dist/examples/first-purchase.js      beside a running `npm start`
 *
 * In a project of your own, `#client` is `@stampede-loyalty/client`.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { PlatformClient, StampedeClient, StampedeError } from "#client";

const publisher = new StampedeClient({
  baseUrl: process.env.STAMPEDE_URL ?? "http://127.0.0.1:8080",
  token: process.env.STAMPEDE_TOKEN ?? readFileSync(".stampede/token", "utf8").trim(),
  // A person waits at the terminal; in a service of your own keep the default of ten minutes.
  retryForMs: 5_000,
});
const platform = new PlatformClient({
  baseUrl: process.env.STAMPEDE_PLATFORM_URL ?? "http://127.0.0.1:8090",
  token: process.env.STAMPEDE_PLATFORM_TOKEN ?? readFileSync(".stampede/platform-token", "utf8").trim(),
  retryForMs: 5_000,
});
const shop = `COFFEE-${Date.now()}`;

// The platform knows the shop by its merchant id, and has a card with five stamps for it.
const retailer = await platform.call("retailer/upsert", { name: shop, merchant_ids: [shop] });
const program = await platform.call("loyalty-program/upsert", {
  name: "Every fifth coffee is free",
  qualifying_threshold: 5,
  reward_config: { type: "refund" },
  display_content: {
    title: "Every fifth coffee is free",
    image: "https://example.com/coffee.png",
    summary: "Five coffees, and the fifth comes back.",
    description: "Pay with your card; the stamps come by themselves.",
    terms: "Only here.",
  },
  rules: { merchant_ids: [shop] },
});

// The publisher's customer gets a card. The program is there a moment after it was made.
const { id: customers } = await publisher.createMemberbase("Customers");
const [ada = ""] = await publisher.upsertMembers(customers, [{ ref: "ada" }]);
await enrol(ada, program.id);

// She pays with her bank card. The bank knows the card; nothing of it but a hash leaves for the platform.
const card = { auth_code: "A1B2C3", network: "visa", bin: "457173", merchant_id: shop } as const;
const paidAt = new Date().toISOString();
const transaction = { external_id: `${shop}-1`, amount: 450, currency: "EUR", authed_at: paidAt };
const { status } = await publisher.ingest([{ member_id: ada, ...card, ...transaction }]);
console.log(`the purchase is ${status}`);

// The shop's till saw the same card, makes the same hash, and reports its payment.
const text = ["stampede:txid:v1", card.auth_code, card.network, card.bin, card.merchant_id].join("\n");
const identifier = createHash("sha256").update(text).digest("hex");
await platform.call("payment/ingest", {
  retailer_id: retailer.id,
  payments: [
    { payment_id: "till-1", identifiers: [identifier], amount: 450, currency: "EUR", paid_at: paidAt },
  ],
});

const event = await untilTold(transaction.external_id);
console.log(`${event.type}: ${event.unredeemed_purchases} of ${program.qualifying_threshold} stamps`);
await Promise.all([publisher.close(), platform.close()]);

async function enrol(member: string, programId: string): Promise<void> {
  for (;;) {
    try {
      await publisher.call("wallet.stamp-collection/create", {
        loyalty_program_id: programId,
        member_id: member,
      });
      return;
    } catch (error) {
      if (!(error instanceof StampedeError) || error.code !== "not_found") throw error;
      await delay(100);
    }
  }
}

/** A webhook would be called with it; here it is asked for. */
async function untilTold(transactionRef: string) {
  for (;;) {
    const { data } = await publisher.call("event/list", { transaction_ref: transactionRef });
    for (const one of data) if (one.type === "qualifying_purchase.created") return one;
    await delay(100);
  }
}
