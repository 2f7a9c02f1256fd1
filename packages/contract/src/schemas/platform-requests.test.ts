import { PLATFORM_ROUTES, type PlatformRouteName } from "../platform-routes.ts";
import { PLATFORM_VALIDATORS } from "../validation/validators.js";
import {
  AT,
  amount,
  byId,
  currency,
  type Field,
  ID,
  id,
  line,
  list,
  listOf,
  object,
  oneOf,
  overlapSeconds,
  pagination,
  prose,
  required,
  timestamp,
  tryRequests,
} from "./test-requests.ts";

/** The requests of every route of the platform. */

const text = required(prose(20_000));

/** Forms distinguished by `type`. A fault is placed inside the named form. */
function forms(...given: ReadonlyArray<readonly [type: string, form: Field]>): Field {
  const unknownType = `must be one of ${given.map(([type]) => type).join(", ")}`;
  return {
    takes: given.flatMap(([, { takes }]) => takes),
    refuses: [
      [null, "must be object"],
      ["refund", "must be object"],
      [[], "must be object"],
      [{}, "is required", "/type"],
      [{ amount: 1 }, "is required", "/type"],
      ...[null, 1, "", "typo", ["fixed"], "__proto__"].map(
        (type) => [{ type, amount: 1 }, unknownType, "/type"] as const,
      ),
      // Values that are no object were tried above; the validator does not check inside them.
      ...given.flatMap(([, { refuses }]) =>
        refuses.filter(([value]) => typeof value === "object" && value !== null && !Array.isArray(value)),
      ),
    ],
  };
}

const programReward = forms(
  ["refund", object({}, { type: "refund" })],
  ["fixed-reward", object({ amount: required(amount) }, { type: "fixed-reward", amount: 350 })],
);

const percent: Field = {
  takes: [5e-324, 0.5, 12.345, 100],
  refuses: [
    [null, "must be number"],
    ["10", "must be number"],
    [0, "must be more than 0"],
    [-1, "must be more than 0"],
    [100.01, "must be at most 100"],
  ],
};
const dealReward = forms(
  ["percent", object({ percent: required(percent), max_amount: amount }, { type: "percent", percent: 10 })],
  [
    "fixed",
    object(
      { amount: required(amount), currency: required(currency) },
      { type: "fixed", amount: 100, currency: "EUR" },
    ),
  ],
);

const displayContent = object(
  {
    title: text,
    image: text,
    logo: prose(20_000),
    summary: text,
    description: text,
    terms: text,
    reward: object({ formatted: text }, { formatted: "5 %" }),
  },
  {
    title: "Coffee",
    image: "",
    logo: "",
    summary: "",
    description: "",
    terms: "",
    reward: { formatted: "" },
  },
);

const rules = object(
  {
    merchant_ids: required(listOf(line(64), 1, 1000)),
    statement_descriptor: line(128),
    min_amount: amount,
    currency,
    paid_after: timestamp,
    paid_before: timestamp,
    confirmation: oneOf("retailer", "none"),
  },
  { merchant_ids: ["M-1"], statement_descriptor: "COFFEE", min_amount: 1, currency: "EUR" },
);

const threshold: Field = {
  takes: [1, 1_000_000],
  refuses: [
    [null, "must be integer"],
    ["10", "must be integer"],
    [1.5, "must be integer"],
    [0, "must be at least 1"],
    [1_000_001, "must be at most 1000000"],
  ],
};

const [display_content, someRules] = [displayContent.takes[0], rules.takes[0]];

const program = object(
  {
    id,
    name: required(line(256)),
    qualifying_threshold: required(threshold),
    reward_config: required(programReward),
    display_content: required(displayContent),
    rules: required(rules),
  },
  {
    name: "Coffee",
    qualifying_threshold: 10,
    reward_config: { type: "refund" },
    display_content,
    rules: someRules,
  },
);

const deal = object(
  {
    id,
    name: required(line(256)),
    reward_config: required(dealReward),
    display_content: required(displayContent),
    rules: required(rules),
    starts_at: timestamp,
    ends_at: timestamp,
  },
  { name: "May", reward_config: { type: "percent", percent: 10 }, display_content, rules: someRules },
);

const retailer = object(
  {
    id,
    name: required(line(256)),
    merchant_ids: required(listOf(line(64), 1, 1000)),
    statement_descriptors: listOf(line(128), 0, 1000),
  },
  { name: "Coffee Corner", merchant_ids: ["M-1"] },
);

const HASH = "0123456789abcdef".repeat(4);
const NO_HASH = "must match ^[0-9a-f]{64}$";
const identifier: Field = {
  takes: [HASH],
  refuses: [
    [1, "must be string"],
    [HASH.toUpperCase(), NO_HASH],
    [HASH.slice(1), NO_HASH],
    [`${HASH}\n`, NO_HASH],
  ],
};
const digits: Field = {
  takes: [6, 8],
  refuses: [
    ["6", "must be integer"],
    [7, "must be one of 6, 8"],
  ],
};
const payment = object(
  {
    payment_id: required(line(128)),
    identifiers: required(listOf(identifier, 1, 8)),
    bin_digits: listOf(digits, 1, 8),
    amount: required(amount),
    currency: required(currency),
    paid_at: required(timestamp),
  },
  { payment_id: "p-1", identifiers: [HASH], amount: 100, currency: "EUR", paid_at: AT },
);
const [somePayment] = payment.takes;

/** Links of a purchase, each with two ids. */
function links(...names: readonly string[]): Field {
  const whole = Object.fromEntries(names.map((name) => [name, ID]));
  return listOf(object(Object.fromEntries(names.map((name) => [name, required(id)])), whole), 0, 1000);
}

const REQUESTS: { readonly [R in PlatformRouteName]: Field } = {
  "loyalty-program/upsert": program,
  "loyalty-program/get": byId,
  "loyalty-program/list": list,
  "loyalty-program/delete": byId,
  "loyalty-program/dry-run": program,
  "deal/upsert": deal,
  "deal/get": byId,
  "deal/list": list,
  "deal/delete": byId,
  "deal/dry-run": deal,
  "retailer/upsert": retailer,
  "retailer/get": byId,
  "retailer/list": list,
  "retailer/rotate-token": object(
    {
      id: required(id),
      overlap_seconds: overlapSeconds,
    },
    { id: ID },
  ),
  "retailer/delete": byId,
  "payment/ingest": object(
    { retailer_id: id, payments: required(listOf(payment, 1, 5000)) },
    { payments: [somePayment] },
  ),
  "payment/get": object(
    { retailer_id: required(id), payment_id: required(line(128)) },
    { retailer_id: ID, payment_id: "p" },
  ),
  "payment/list": object({ retailer_id: id, since: timestamp, until: timestamp, pagination }, {}),
  "purchase/explain": object(
    {
      transaction_id: id,
      merchant_id: line(64),
      statement_descriptor: prose(128),
      amount,
      currency,
      authed_at: timestamp,
      cleared_at: timestamp,
      reverted_at: timestamp,
      enrolments: links("stamp_collection_id", "loyalty_program_id"),
      clips: links("clip_id", "deal_id"),
    },
    {},
  ),
};

tryRequests(REQUESTS, PLATFORM_ROUTES, PLATFORM_VALIDATORS);
