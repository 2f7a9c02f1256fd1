import type { PlatformRequestOf, PlatformRouteName } from "../../platform-routes.ts";

const ID = "01jt7a8pvcfnp9z85hr79f9z86";
const pagination = { limit: 50 };

const display_content = {
  title: "Coffee on the house",
  image: "https://example.com/coffee.jpg",
  summary: "The tenth coffee is free",
  description: "Pay with your card, and the tenth coffee is paid back.",
  terms: "One stamp for each purchase.",
};

const program: PlatformRequestOf<"loyalty-program/upsert"> = {
  name: "Coffee card",
  qualifying_threshold: 10,
  reward_config: { type: "fixed-reward", amount: 350 },
  display_content,
  rules: { merchant_ids: ["M-1001"], min_amount: 200, currency: "EUR" },
};

const deal: PlatformRequestOf<"deal/upsert"> = {
  name: "Ten per cent in May",
  reward_config: { type: "percent", percent: 10, max_amount: 500 },
  display_content,
  rules: { merchant_ids: ["M-1001"], statement_descriptor: "COFFEE", confirmation: "retailer" },
  starts_at: "2026-05-01T00:00:00+02:00",
  ends_at: "2026-06-01T00:00:00+02:00",
};

/** A complete request for each route. */
export const EXAMPLES: { readonly [R in PlatformRouteName]: PlatformRequestOf<R> } = {
  "loyalty-program/upsert": program,
  "loyalty-program/get": { id: `lp_${ID}` },
  "loyalty-program/list": { pagination },
  "loyalty-program/delete": { id: `lp_${ID}` },
  "loyalty-program/dry-run": { id: `lp_${ID}`, ...program },
  "deal/upsert": deal,
  "deal/get": { id: `deal_${ID}` },
  "deal/list": { pagination },
  "deal/delete": { id: `deal_${ID}` },
  "deal/dry-run": { id: `deal_${ID}`, ...deal },
  "retailer/upsert": {
    name: "Coffee Corner",
    merchant_ids: ["M-1001"],
    statement_descriptors: ["COFFEE CORNER"],
  },
  "retailer/get": { id: `ret_${ID}` },
  "retailer/list": { pagination },
  "retailer/rotate-token": { id: `ret_${ID}`, overlap_seconds: 86_400 },
  "retailer/delete": { id: `ret_${ID}` },
  "payment/ingest": {
    retailer_id: `ret_${ID}`,
    payments: [
      {
        payment_id: "receipt-20260301-0017",
        identifiers: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        bin_digits: [6],
        amount: 1250,
        currency: "EUR",
        paid_at: "2026-03-01T10:00:00Z",
      },
    ],
  },
  "payment/get": { retailer_id: `ret_${ID}`, payment_id: "receipt-20260301-0017" },
  "payment/list": { retailer_id: `ret_${ID}`, since: "2026-03-01T00:00:00Z", pagination },
  "purchase/explain": {
    transaction_id: `tx_${ID}`,
    merchant_id: "M-1001",
    statement_descriptor: "COFFEE CORNER",
    amount: 1250,
    currency: "EUR",
    authed_at: "2026-03-01T10:00:00Z",
    enrolments: [{ stamp_collection_id: `sc_${ID}`, loyalty_program_id: `lp_${ID}` }],
  },
};
