import t from "tap";
import type { Issue } from "../errors.ts";
import { PLATFORM_ROUTES, type PlatformRouteName } from "../platform-routes.ts";
import { describeViolation } from "../schema-issue.ts";
import { PLATFORM_VALIDATORS } from "../validation/validators.js";

/** The requests of every route of the platform. */

const ID = "lp_01jt7a8pvcfnp9z85hr79f9z86";
const PRINTABLE = "must not hold control characters or lone surrogates";
const STORABLE = "must not hold NUL or lone surrogates";
const CURRENCY = "must be a current ISO 4217 code, such as EUR";
const TIMESTAMP =
  "must be an RFC 3339 timestamp with an offset, years 2000 to 2100 in UTC, at most 9 fraction digits";
const AT = "2026-05-01T00:00:00+02:00";
const MAX = Number.MAX_SAFE_INTEGER;

type Refusal = readonly [body: unknown, path: string, message: string];
interface Examples {
  readonly accepted: readonly unknown[];
  readonly refused: readonly Refusal[];
}

/**
 * What a field takes; what it refuses, and with which words; if the fault lies further in, with the path to
 * it.
 */
interface Field {
  readonly takes: readonly unknown[];
  readonly refuses: ReadonlyArray<readonly [value: unknown, message: string, path?: string]>;
  readonly required?: true;
}

const texts = (count: number, text = "x") => Array.from({ length: count }, () => text);

const line = (length: number): Field => ({
  takes: ["x", " ", "ü".repeat(length), "😀".repeat(length)],
  refuses: [
    [null, "must be string"],
    [1, "must be string"],
    ["", "must have at least 1 character"],
    ["x".repeat(length + 1), `must have at most ${length} characters`],
    ["a\nb", PRINTABLE],
    ["\ud800", PRINTABLE],
  ],
});

const prose: Field = {
  takes: ["", "two\nlines", "😀".repeat(20_000)],
  refuses: [
    [null, "must be string"],
    [["x"], "must be string"],
    ["x".repeat(20_001), "must have at most 20000 characters"],
    ["a\u0000", STORABLE],
    ["\udc00", STORABLE],
  ],
};

const lines = (length: number, least: 0 | 1): Field => ({
  takes: [["x"], ["x", "x"], texts(1000, "x".repeat(length)), ...(least === 0 ? [[]] : [])],
  refuses: [
    [null, "must be array"],
    ["x", "must be array"],
    [texts(1001), "must have at most 1000 entries"],
    ...(least === 1 ? [[[], "must have at least 1 entry"] as const] : []),
    ...line(length).refuses.map(([value, message]) => [["x", value], message, "/1"] as const),
  ],
});

const amount: Field = {
  takes: [0, 1, MAX],
  refuses: [
    [null, "must be integer"],
    ["1", "must be integer"],
    [0.5, "must be integer"],
    [-1, "must be at least 0"],
    [MAX + 1, `must be at most ${MAX}`],
  ],
};

const currency: Field = {
  takes: ["EUR", "JPY"],
  refuses: [
    [null, "must be string"],
    [978, "must be string"],
    ["", CURRENCY],
    ["eur", CURRENCY],
    ["XXY", CURRENCY],
  ],
};

const timestamp: Field = {
  takes: [AT, "2026-05-01T00:00:00.123456789Z"],
  refuses: [
    [null, "must be string"],
    [1_777_629_600, "must be string"],
    ["2026-05-01", TIMESTAMP],
    ["2026-05-01T00:00:00", TIMESTAMP],
    ["1999-12-31T23:59:59Z", TIMESTAMP],
  ],
};

/** Any string: an id of the wrong form is unknown, not malformed. */
const id: Field = {
  takes: [ID, "", "x"],
  refuses: [
    [null, "must be string"],
    [1, "must be string"],
    [[ID], "must be string"],
  ],
};

const required = (field: Field): Field => ({ ...field, required: true });

/** An object of these fields only. `whole` has at least the required ones, and every field is tried in it. */
function object(fields: Readonly<Record<string, Field>>, whole: Readonly<Record<string, unknown>>): Field {
  const takes: unknown[] = [whole];
  const refuses: [value: unknown, message: string, path?: string][] = [
    [null, "must be object"],
    ["x", "must be object"],
    [[whole], "must be object"],
    [{ ...whole, typo: 1 }, "is not a known field", "/typo"],
  ];
  for (const [name, field] of Object.entries(fields)) {
    const { [name]: _, ...without } = whole;
    if (field.required) refuses.push([without, "is required", `/${name}`]);
    else takes.push(without);
    for (const value of field.takes) takes.push({ ...whole, [name]: value });
    for (const [value, message, path = ""] of field.refuses) {
      refuses.push([{ ...whole, [name]: value }, message, `/${name}${path}`]);
    }
  }
  return { takes, refuses };
}

/** Forms that `type` tells apart. A fault is placed inside of the form that is named. */
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
      // What is no object was tried above; the validator does not look into it.
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
    title: required(prose),
    image: required(prose),
    logo: prose,
    summary: required(prose),
    description: required(prose),
    terms: required(prose),
    reward: object({ formatted: required(prose) }, { formatted: "5 %" }),
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

const confirmation: Field = {
  takes: ["retailer", "none"],
  refuses: [
    [null, "must be one of retailer, none"],
    ["", "must be one of retailer, none"],
    ["platform", "must be one of retailer, none"],
  ],
};
const rules = object(
  {
    merchant_ids: required(lines(64, 1)),
    statement_descriptor: line(128),
    min_amount: amount,
    currency,
    paid_after: timestamp,
    paid_before: timestamp,
    confirmation,
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
    merchant_ids: required(lines(64, 1)),
    statement_descriptors: lines(128, 0),
  },
  { name: "Coffee Corner", merchant_ids: ["M-1"] },
);

const HASH = "0123456789abcdef".repeat(4);
const NO_HASH = "must match ^[0-9a-f]{64}$";
const identifiers: Field = {
  takes: [[HASH], texts(8, HASH)],
  refuses: [
    [null, "must be array"],
    [HASH, "must be array"],
    [[], "must have at least 1 entry"],
    [texts(9, HASH), "must have at most 8 entries"],
    [[HASH, 1], "must be string", "/1"],
    [[HASH, HASH.toUpperCase()], NO_HASH, "/1"],
    [[HASH.slice(1)], NO_HASH, "/0"],
    [[`${HASH}\n`], NO_HASH, "/0"],
  ],
};
const binDigits: Field = {
  takes: [[6], [8, 6], Array.from({ length: 8 }, () => 6)],
  refuses: [
    [null, "must be array"],
    [6, "must be array"],
    [[], "must have at least 1 entry"],
    [Array.from({ length: 9 }, () => 6), "must have at most 8 entries"],
    [["6"], "must be integer", "/0"],
    [[6, 7], "must be one of 6, 8", "/1"],
  ],
};
const payment = object(
  {
    payment_id: required(line(128)),
    identifiers: required(identifiers),
    bin_digits: binDigits,
    amount: required(amount),
    currency: required(currency),
    paid_at: required(timestamp),
  },
  { payment_id: "p-1", identifiers: [HASH], amount: 100, currency: "EUR", paid_at: AT },
);
const [somePayment] = payment.takes;
const payments: Field = {
  takes: [[somePayment], Array.from({ length: 5000 }, () => somePayment)],
  refuses: [
    [null, "must be array"],
    [somePayment, "must be array"],
    [[], "must have at least 1 entry"],
    [Array.from({ length: 5001 }, () => somePayment), "must have at most 5000 entries"],
    ...payment.refuses.map(
      ([value, message, path = ""]) => [[somePayment, value], message, `/1${path}`] as const,
    ),
  ],
};

const descriptor: Field = {
  takes: ["", "two\nlines", "😀".repeat(128)],
  refuses: [
    [null, "must be string"],
    ["x".repeat(129), "must have at most 128 characters"],
    ["a\u0000", STORABLE],
  ],
};

/** Links of a purchase, each with two ids. */
function links(fields: Readonly<Record<string, Field>>): Field {
  const whole = Object.fromEntries(Object.keys(fields).map((name) => [name, ID]));
  return {
    takes: [[], [whole], Array.from({ length: 1000 }, () => whole)],
    refuses: [
      [null, "must be array"],
      [Array.from({ length: 1001 }, () => whole), "must have at most 1000 entries"],
      ...object(fields, whole).refuses.map(
        ([value, message, path = ""]) => [[whole, value], message, `/1${path}`] as const,
      ),
    ],
  };
}

const pagination = object(
  {
    limit: {
      takes: [1, 1000],
      refuses: [
        [0, "must be at least 1"],
        [1001, "must be at most 1000"],
        ["1", "must be integer"],
      ],
    },
    cursor: { takes: [null, ""], refuses: [[1, "must be string or null"]] },
    skip: { takes: [0, 100_000], refuses: [[-1, "must be at least 0"]] },
  },
  {},
);

const byId = object({ id: required(id) }, { id: ID });
const list = object({ pagination }, {});

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
      overlap_seconds: {
        takes: [0, 604_800],
        refuses: [
          [-1, "must be at least 0"],
          [604_801, "must be at most 604800"],
          [1.5, "must be integer"],
        ],
      },
    },
    { id: ID },
  ),
  "retailer/delete": byId,
  "payment/ingest": object({ retailer_id: id, payments: required(payments) }, { payments: [somePayment] }),
  "payment/get": object(
    { retailer_id: required(id), payment_id: required(line(128)) },
    { retailer_id: ID, payment_id: "p" },
  ),
  "payment/list": object({ retailer_id: id, since: timestamp, until: timestamp, pagination }, {}),
  "purchase/explain": object(
    {
      transaction_id: id,
      merchant_id: line(64),
      statement_descriptor: descriptor,
      amount,
      currency,
      authed_at: timestamp,
      cleared_at: timestamp,
      reverted_at: timestamp,
      enrolments: links({ stamp_collection_id: required(id), loyalty_program_id: required(id) }),
      clips: links({ clip_id: required(id), deal_id: required(id) }),
    },
    {},
  ),
};

function examplesOf({ takes, refuses }: Field): Examples {
  return { accepted: takes, refused: refuses.map(([body, message, path = ""]) => [body, path, message]) };
}

function issueIn(route: PlatformRouteName, body: unknown): Issue | undefined {
  const validate = PLATFORM_VALIDATORS[route];
  if (validate(JSON.parse(JSON.stringify(body)))) return undefined;
  const violation = validate.errors?.at(-1);
  if (violation === undefined) throw new Error("refused without a reason");
  return describeViolation(violation);
}

const show = (body: unknown) => JSON.stringify(body).slice(0, 80);

for (const route of Object.keys(REQUESTS) as PlatformRouteName[]) {
  const { accepted, refused } = examplesOf(REQUESTS[route]);

  t.test(`platform, ${route} - well-formed requests are taken, to their bounds`, async (t) => {
    for (const body of accepted) t.equal(issueIn(route, body), undefined, show(body));
  });

  t.test(`platform, ${route} - malformed requests are refused by place and rule`, async (t) => {
    for (const [body, path, message] of refused) {
      t.strictSame(issueIn(route, body), { path, message }, show(body));
    }
  });
}

t.test("platform requests - every field of every route is tried", async (t) => {
  for (const [route, { request }] of Object.entries(PLATFORM_ROUTES)) {
    const tried = new Set(REQUESTS[route as PlatformRouteName].refuses.map(([, , path = ""]) => path));
    for (const name of Object.keys(request.properties)) t.ok(tried.has(`/${name}`), `${route} ${name}`);
  }
});
