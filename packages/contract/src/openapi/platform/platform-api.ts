import { LIMITS } from "../../limits.ts";
import { PLATFORM_PREFIX, PLATFORM_ROUTES, type PlatformRouteName } from "../../platform-routes.ts";
import type { ApiDescription } from "../api-description.ts";
import type { ResourceOf } from "../names.ts";
import { EXAMPLES } from "./examples.ts";
import { NAMED_SCHEMAS } from "./named-schemas.ts";

const DESCRIPTION = `Says which purchases count and what they earn, whose they are, and takes in what retailers were paid.

Every operation is a POST with a JSON object. Unknown request fields are refused; ignore answer fields that you do not
know.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

/** Resources (the part of a route before the slash), in the order of the reference page. */
const RESOURCES: { readonly [R in ResourceOf<PlatformRouteName>]: string } = {
  "loyalty-program": "Stamp cards. Every change goes to the publishers.",
  deal: "Offers for single purchases. Every change goes to the publishers.",
  retailer: "Which transactions belong to which retailer.",
  payment: "Payments to retailers.",
  purchase: "What became of publishers' transactions here.",
};

/** What a field means wherever it stands: a name has one meaning in the whole API. */
const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  accepted: "Payments of the request that are known now, whether they were before or not.",
  amount: "In minor units of the currency.",
  complete:
    "Whether all purchases of the time since `since` were looked at. Otherwise the newest of them were.",
  cleared_at: "When it settled.",
  confirmation:
    "`retailer`: a payment with an equal identifier is needed. `none`: it is enough that the transaction is the retailer's, " +
    "and then no amount is known.",
  authed_at: "When the card was authorized.",
  cursor: "Opaque. From the previous page; null for the first page, and after the last.",
  earned: "Purchases that would have counted, had their members been enrolled, or had the clip.",
  ends_at: "Purchases from then on do not count.",
  differs_in:
    "`identifiers`: none of them is the purchase's. `card`: the first six digits are the same, and not the eight. `paid_at`: more " +
    "than 30 days before or after.",
  identifiers: "SHA-256 in lower-case hex. A payment and a transaction that share one belong together.",
  linked: "Of those that earned: purchases of members who have the program or deal with this id.",
  kept_for: "The retailer that it was kept for, where it would be another one's.",
  limit: `Records of a page at most; ${LIMITS.pageLimitDefault} without it. A page ends sooner at 4 MiB.`,
  max_amount: "At most so much, in minor units of the payment's currency.",
  merchant_ids: "Compared trimmed and without regard to case.",
  min_amount: "Payments of less do not count, in minor units.",
  more: "Whether further pages exist.",
  page_size: "Records of this page.",
  overlap_seconds: "For how many seconds the previous token counts as well; a day without it.",
  outcome_id: "There if the publisher was told that it is earned, whatever the rules say today.",
  paid_after: "Purchases before do not count.",
  paid_at: "When it was paid.",
  paid_before: "Purchases from then on do not count.",
  received_at: "When it was stored.",
  payment_id: "The retailer's own, by which a payment is recognised. The first one with it counts.",
  percent: "Of the payment, rounded half up to the minor unit.",
  previous_until: "Until then the previous token counts as well; absent if it ended at once.",
  qualifying_threshold: "Stamps that make a full card.",
  retailer_id: "Whose payments they are. Needed to bring them with the platform's token.",
  retroactive:
    "Whether enrolments and clips also count for purchases authorized before they were made; otherwise for those from 60 s before on.",
  reasons: "Why the others did not count, the most frequent reason first.",
  result: "`earned`, or the reason why not.",
  rewards: "What the deal would have given, by currency.",
  skip: "Records to leave out before the page.",
  reverted_at: "When it was refunded or cancelled.",
  starts_at: "Purchases before do not count.",
  statement_descriptors: "Prefixes, only looked at where several retailers share the merchant id.",
  unrouted_merchant_ids: "Those of the rules that no retailer has: nothing that is paid there can count.",
  token: "The retailer's own. Only the answer that makes it has it.",
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
  namedSchemas: NAMED_SCHEMAS,
  fieldDescriptions: FIELD_DESCRIPTIONS,
};
