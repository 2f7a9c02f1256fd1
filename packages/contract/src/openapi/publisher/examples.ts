import type { RequestOf, RouteName } from "../../routes.ts";

const ID = "01jt7a8pvcfnp9z85hr79f9z86";
const pagination = { limit: 50 };

/** A complete request for each route. */
export const EXAMPLES: { readonly [R in RouteName]: RequestOf<R> } = {
  "api-token/create": { access: "read", description: "Reporting", expires_at: "2027-12-31T23:59:59Z" },
  "api-token/list": { pagination },
  "api-token/revoke": { id: `atok_${ID}` },
  "member-base/create": { name: "Customers" },
  "member-base/get": { id: `mb_${ID}` },
  "member-base/list": { pagination, filters: [{ key: "name", eq: "Customers" }] },
  "member-base/delete": { id: `mb_${ID}` },
  "member/list": {
    member_base_id: `mb_${ID}`,
    pagination,
    filters: [
      {
        or: [
          { key: "ref", in: ["customer-1", "customer-2"] },
          { key: "id", eq: `m_${ID}` },
        ],
      },
    ],
  },
  "member/bulk-delete": { member_base_id: `mb_${ID}`, refs: ["customer-1", "customer-2"] },
  "member/bulk-upsert": {
    member_base_id: `mb_${ID}`,
    members: [
      { ref: "customer-1", attributes: { city: "Uppsala", tier: 2, tags: ["new"] } },
      { ref: "customer-2" },
    ],
  },
  "member/get": { member_base_id: `mb_${ID}`, ref: "customer-1" },
  "member/find": { ref: "customer-1", pagination },
  "id/resolve": { id: `qp_${ID}` },
  "transaction.batch/get": { id: `batch_${ID}` },
  "transaction.rejection/list": { external_id: "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10", pagination },
  "transaction/list": {
    member_id: `m_${ID}`,
    state: "cleared",
    since: "2026-03-01T00:00:00Z",
    until: "2026-04-01T00:00:00Z",
    pagination,
  },
  "transaction/export": { since: "2026-03-01T00:00:00Z", until: "2026-04-01T00:00:00Z", pagination },
  "transaction/get": { external_id: "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10" },
  "transaction/trace": { external_id: "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10" },
  "transaction/ingest": {
    events: [
      {
        member_id: `m_${ID}`,
        external_id: "0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10",
        auth_code: "A1B2C3",
        network: "visa",
        bin: "45717360",
        merchant_id: "M-1001",
        statement_descriptor: "COFFEE CORNER",
        amount: 1250,
        currency: "EUR",
        authed_at: "2026-03-01T10:00:00Z",
      },
    ],
  },
  "loyalty-program/list": { pagination },
  "loyalty-program/get": { id: `lp_${ID}` },
  "deal/list": { pagination },
  "deal/get": { id: `deal_${ID}` },
  "wallet.stamp-collection/create": { loyalty_program_id: `lp_${ID}`, member_id: `m_${ID}` },
  "wallet.stamp-collection/get": { id: `sc_${ID}` },
  "wallet.stamp-collection/list": { member_id: `m_${ID}`, pagination },
  "qualifying-purchase/list": { stamp_collection_id: `sc_${ID}`, pagination },
  "wallet.clip/save": { deal_id: `deal_${ID}`, member_id: `m_${ID}` },
  "wallet.clip/list": { member_id: `m_${ID}`, pagination },
  "wallet.cashback/list": { member_id: `m_${ID}`, pagination },
  "wallet.redemption/list": { member_id: `m_${ID}`, pagination },
  "webhook/create": {
    url: "https://example.com/stampede",
    events: ["cashback.created", "cashback.cleared", "cashback.reverted"],
    description: "Cashbacks to the app",
  },
  "webhook/get": { id: `whk_${ID}` },
  "webhook/list": { pagination },
  "webhook/update": { id: `whk_${ID}`, state: "paused" },
  "webhook/delete": { id: `whk_${ID}` },
  "webhook/rotate-secret": { id: `whk_${ID}`, overlap_seconds: 86_400 },
  "webhook/retry": { id: `whk_${ID}` },
  "webhook/test": { id: `whk_${ID}` },
  "webhook.delivery/list": { webhook_id: `whk_${ID}`, state: "failed", order: "newest", pagination },
  "webhook.delivery/get": { id: `dlv_${ID}` },
  "webhook.delivery/replay": {
    webhook_id: `whk_${ID}`,
    since: "2026-03-01T10:00:00Z",
    until: "2026-03-01T11:00:00Z",
  },
  "event/list": { types: ["cashback.created", "cashback.cleared"], limit: 50 },
};
