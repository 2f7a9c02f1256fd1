import { PLATFORM_PREFIX, PLATFORM_ROUTES, type PlatformRouteName } from "../../platform-routes.ts";
import type { ApiDescription } from "../api-description.ts";
import { COMMON_FIELD_DESCRIPTIONS, type ResourceOf } from "../names.ts";
import { EXAMPLES } from "./examples.ts";

const DESCRIPTION = `Defines which purchases count, what they earn and to which retailer they belong, and takes in retailers' payments.

Every operation is a POST with a JSON object. Unknown request fields are refused; ignore answer fields that you do not
know.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

/** Resources (the part of a route before the slash), in the order of the reference page. */
const RESOURCES: { readonly [R in ResourceOf<PlatformRouteName>]: string } = {
  "loyalty-program": "Stamp cards. Every change goes to the publishers.",
  deal: "Offers for single purchases. Every change goes to the publishers.",
  retailer: "Which transactions belong to which retailer.",
  payment: "Payments to retailers.",
  purchase: "How the platform judges publishers' transactions.",
};

const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...COMMON_FIELD_DESCRIPTIONS,
  accepted: "The number of payments in the request, new and known ones.",
  complete: "True if all purchases since `since` were tried, false if only the newest of them were.",
  confirmation:
    "`retailer`: the purchase needs a payment with an equal identifier. `none`: it is enough that the " +
    "transaction belongs to " +
    "the retailer; then the platform knows no amount.",
  earned: "Purchases that would have counted if their members had been enrolled or had had the clip.",
  ends_at: "Purchases from then on do not count.",
  differs_in:
    "`identifiers`: none of them is the purchase's. `card`: the first six digits are the same, and not the " +
    "eight. `paid_at`: more " +
    "than 30 days before or after.",
  identifiers: "SHA-256 in lower-case hex. A payment and a transaction that share one belong together.",
  linked: "How many of the earning purchases are of members who have the program or deal with this id.",
  kept_for: "The retailer for which the purchase was kept, if the routing shown here gives another retailer.",
  max_amount: "The highest cashback, in minor units of the payment's currency.",
  merchant_ids: "Compared trimmed and without regard to case.",
  min_amount: "The lowest payment that counts, in minor units.",
  overlap_seconds: "For how many seconds the previous token stays valid; the default is a day.",
  outcome_id:
    "Present if the publisher was told that the purchase earned this, even if today's rules say " +
    "otherwise.",
  paid_after: "Purchases before do not count.",
  paid_at: "When it was paid.",
  paid_before: "Purchases from then on do not count.",
  received_at: "When it was stored.",
  payment_id: "The retailer's own id of the payment. If it comes twice, the first payment counts.",
  percent: "Of the payment, rounded half up to the minor unit.",
  previous_until: "Until then the previous token is valid; absent if it ended at once.",
  retailer_id: "The retailer that was paid. Required with the platform's token.",
  retroactive:
    "True if purchases up to 30 days before an enrolment or clip was made count for it; otherwise " +
    "purchases up to 60 s before do.",
  reasons: "Why the others did not count, the most frequent reason first.",
  result: "`earned`, or the reason why not.",
  rewards: "What the deal would have given, by currency.",
  starts_at: "Purchases before do not count.",
  statement_descriptors: "Prefixes, compared only if several retailers share the merchant id.",
  unrouted_merchant_ids: "Merchant ids of the rules that no retailer has: no purchase there can count.",
  token: "The retailer's token. Only the answer that creates it shows it.",
};

export const PLATFORM_API: ApiDescription = {
  title: "Stampede reference platform",
  description: DESCRIPTION,
  prefix: PLATFORM_PREFIX,
  origin: "http://127.0.0.1:8090",
  routes: PLATFORM_ROUTES,
  tokens: "The platform's token, or a retailer's: `stp_live_…`.",
  access: {
    platform: "Needs the platform's token.",
    retailer: "Needs a retailer's token, or the platform's with `retailer_id`.",
  },
  // A retailer's token is also refused where the request names another retailer.
  forbidden: { required: "platform", accesses: ["platform", "retailer"] },
  hasRateLimit: false,
  resources: RESOURCES,
  examples: EXAMPLES,
  fieldDescriptions: FIELD_DESCRIPTIONS,
};
