import t from "tap";
import type { Issue } from "../errors.ts";
import { describeViolation } from "../schema-issue.ts";
import { VALIDATORS } from "../validation/validators.js";

const EVENT = {
  member_id: "m_01jt7a8pvcfnp9z85hr79f9z86",
  external_id: "0196f2a4-5b6c-7d8e-9fa0-b1c2d3e4f506",
  auth_code: "AUTH123",
  network: "visa",
  bin: "411111",
  merchant_id: "MID_STORE_01",
  authed_at: "2026-05-01T10:00:00Z",
};
const COMPLETE = {
  ...EVENT,
  statement_descriptor: "COFFEE HOUSE",
  amount: 450,
  currency: "EUR",
  cleared_at: "2026-05-02T10:00:00Z",
};
const ISO = "2026-05-02T10:00:00Z";

const TIMESTAMP =
  "must be an RFC 3339 timestamp with an offset, years 2000 to 2100 in UTC, at most 9 fraction digits";
const PRINTABLE = "must not hold control characters or lone surrogates";
const CARD_FREE = "must be printable and must not hold a card number";
const CURRENCY = "must be a current ISO 4217 code, such as EUR";
const BIN = "must match ^[0-9]{6,8}$";
const NETWORK = "must be one of visa, mastercard, amex, other";
const STRING = "must be string";
const INTEGER = "must be integer";

/** The issue of a request body, given as JSON text. */
function issueIn(json: string): Issue | undefined {
  const validate = VALIDATORS["transaction/ingest"];
  if (validate(JSON.parse(json))) return undefined;
  const violation = validate.errors?.at(-1);
  if (violation === undefined) throw new Error("refused without a reason");
  return describeViolation(violation);
}

const issueWith = (...events: unknown[]): Issue | undefined => issueIn(JSON.stringify({ events }));

t.test("transaction/ingest - the least and the most that an event can say are taken", async (t) => {
  t.equal(issueWith(EVENT), undefined);
  t.equal(issueWith(COMPLETE), undefined);
  t.equal(issueWith({ ...EVENT, reverted_at: ISO }), undefined);
});

t.test("transaction/ingest - cleared_at together with reverted_at is malformed", async (t) => {
  t.strictSame(issueWith(EVENT, { ...EVENT, cleared_at: ISO, reverted_at: ISO }), {
    path: "/events/1",
    message: "must not have cleared_at together with reverted_at",
  });
});

for (const field of Object.keys(EVENT)) {
  t.test(`transaction/ingest - ${field} is required`, async (t) => {
    const { [field as keyof typeof EVENT]: _, ...rest } = COMPLETE;
    t.strictSame(issueWith(rest), { path: `/events/0/${field}`, message: "is required" });
  });
}

/** Wide characters count as one: the limits are in characters, not in UTF-16 units. */
const wide = (count: number) => "\u{1f6d2}".repeat(count);

const UNPRINTABLE = [
  "\u0000",
  "A\u0000B",
  "A\nB",
  "A\tB",
  "A\r",
  "\u001f",
  "\u007f",
  "\u0080",
  "\u009f",
  "A\u2028B",
  "A\u2029B",
  "A\ud800",
  "\udc00A",
  "\udc00\ud800",
];
const NOT_STRINGS = [null, true, 0, 1.5, [], ["A"], {}, { $gt: "" }];
const CARD_NUMBERS = [
  "4111111111111111",
  "5555 5555 5555 4444",
  "378282246310005",
  "3056-930902-5904",
  "X 4111.1111.1111.1111",
];

interface FieldRules {
  readonly accepted: readonly unknown[];
  readonly refused: readonly (readonly [message: string, values: readonly unknown[]])[];
}

const atMost = (limit: number) => `must have at most ${limit} characters`;
const EMPTY = ["must have at least 1 character", [""]] as const;
const timestamp: FieldRules = {
  accepted: [
    ISO,
    "2000-01-01T00:00:00Z",
    "2100-12-31T23:59:59.999999999Z",
    "2024-02-29t12:00:00.5+23:59",
    "2016-12-31T23:59:60Z",
  ],
  refused: [
    [STRING, [null, 1_767_225_600, true, {}, []]],
    [
      TIMESTAMP,
      [
        "",
        "2026-05-02",
        "2026-05-02T10:00:00",
        "2026-05-02 10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2026-05-02T10:00:00.1234567890Z",
        "1999-12-31T23:59:59Z",
        "2101-01-01T00:00:00Z",
        "2026-05-02T10:00:00Z\u0000",
        `${ISO}${" ".repeat(100_000)}`,
      ],
    ],
  ],
};

const FIELDS: Readonly<Record<string, FieldRules>> = {
  // An id of the wrong form is unknown, not malformed: the look-up finds that out.
  member_id: {
    accepted: ["", "x", "m_1", "tx_01jt7a8pvcfnp9z85hr79f9z86", "\u0000"],
    refused: [[STRING, NOT_STRINGS]],
  },
  external_id: {
    // Ids may be long numbers: they are not checked for card numbers.
    accepted: ["x", " ", "x".repeat(128), wide(128), "köp 4711", "4111111111111111"],
    refused: [
      [STRING, NOT_STRINGS],
      EMPTY,
      [atMost(128), ["x".repeat(129), wide(129)]],
      [PRINTABLE, UNPRINTABLE],
    ],
  },
  auth_code: {
    accepted: ["0", "x".repeat(32), wide(32), "A-1 B.2", "4111111111111112"],
    refused: [
      [STRING, NOT_STRINGS],
      EMPTY,
      [atMost(32), ["x".repeat(33), wide(33)]],
      [CARD_FREE, [...UNPRINTABLE, ...CARD_NUMBERS]],
    ],
  },
  network: {
    accepted: ["visa", "mastercard", "amex", "other"],
    refused: [[NETWORK, [...NOT_STRINGS, "", "VISA", "visa ", "discover", "__proto__"]]],
  },
  bin: {
    accepted: ["000000", "4111112", "41111122"],
    refused: [
      [STRING, [...NOT_STRINGS, 411111]],
      [
        BIN,
        [
          "",
          "41111",
          "411111222",
          "41111a",
          " 411111",
          "411111 ",
          "411111\n",
          "４１１１１１",
          "-411111",
          "4111111111111111",
        ],
      ],
    ],
  },
  merchant_id: {
    accepted: ["x", "x".repeat(64), wide(64), "000123456789012", "4111111111111111"],
    refused: [
      [STRING, NOT_STRINGS],
      EMPTY,
      [atMost(64), ["x".repeat(65), wide(65)]],
      [PRINTABLE, UNPRINTABLE],
    ],
  },
  statement_descriptor: {
    accepted: ["", "x".repeat(128), wide(128), "COFFEE 08-123 456 78", "4111111111111112"],
    refused: [
      [STRING, NOT_STRINGS],
      [atMost(128), ["x".repeat(129), wide(129)]],
      [CARD_FREE, [...UNPRINTABLE, ...CARD_NUMBERS]],
    ],
  },
  amount: {
    accepted: [0, 1, Number.MAX_SAFE_INTEGER],
    refused: [
      [INTEGER, [null, true, "450", "", 0.5, 450.01, 1e-7, [], {}]],
      ["must be at least 0", [-1, Number.MIN_SAFE_INTEGER]],
      [`must be at most ${Number.MAX_SAFE_INTEGER}`, [Number.MAX_SAFE_INTEGER + 1, 1e21, 1e308]],
    ],
  },
  currency: {
    accepted: ["EUR", "SEK", "JPY", "XCG"],
    refused: [
      [STRING, NOT_STRINGS],
      [CURRENCY, ["", "eur", "EURO", "EU", "978", "€", "DEM", "XXX", "EUR\u0000", "__proto__"]],
    ],
  },
  authed_at: timestamp,
  cleared_at: timestamp,
  reverted_at: timestamp,
};

t.test("transaction/ingest - every field of an event has its rules here", async (t) => {
  t.strictSame(new Set([...Object.keys(COMPLETE), "reverted_at"]), new Set(Object.keys(FIELDS)));
});

/** A value in a test's name: short, and without line separators, which would break the TAP. */
const show = (value: unknown) => {
  const text = JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, "(line separator)");
  return text.length <= 40 ? text : `${text.slice(0, 40)}… (${text.length} characters)`;
};

for (const [field, { accepted, refused }] of Object.entries(FIELDS)) {
  t.test(`transaction/ingest - ${field}, to its bounds, is taken`, async (t) => {
    for (const value of accepted) t.equal(issueWith({ ...EVENT, [field]: value }), undefined, show(value));
  });

  t.test(`transaction/ingest - ${field}, wrong in any way, is refused by place and rule`, async (t) => {
    for (const [message, values] of refused) {
      for (const value of values) {
        // The second of two events: the issue must point at it.
        const issue = issueWith(EVENT, { ...EVENT, [field]: value });
        t.strictSame(issue, { path: `/events/1/${field}`, message }, show(value));
      }
    }
  });
}

t.test("transaction/ingest - numbers are read as JSON writes them", async (t) => {
  const issueOfAmount = (amount: string) =>
    issueIn(JSON.stringify({ events: [EVENT] }).replace("}]}", `,"amount":${amount}}]}`));
  for (const amount of ["450.0", "4.5e2", "-0", "9007199254740991"]) {
    t.equal(issueOfAmount(amount), undefined, amount);
  }
  const path = "/events/0/amount";
  t.strictSame(issueOfAmount("1e400"), { path, message: INTEGER }, "beyond the range of a double");
  t.strictSame(issueOfAmount("-1e400"), { path, message: INTEGER });
  const tooMuch = { path, message: "must be at most 9007199254740991" };
  t.strictSame(issueOfAmount("9007199254740992"), tooMuch);
  t.strictSame(issueOfAmount("9007199254740993"), tooMuch);
  t.strictSame(issueOfAmount(`1${"0".repeat(300)}`), tooMuch);
});

t.test("transaction/ingest - a field that is not known is refused, under any name", async (t) => {
  for (const [name, pointer] of [
    ["extra", "extra"],
    ["clearedAt", "clearedAt"],
    ["Member_id", "Member_id"],
    ["", ""],
    ["a/b~c", "a~1b~0c"],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["toString", "toString"],
    ["x".repeat(1000), "x".repeat(64)],
  ] as const) {
    const json = `{"events":[${JSON.stringify(EVENT).slice(0, -1)},${JSON.stringify(name)}:{}}]}`;
    t.strictSame(issueIn(json), { path: `/events/0/${pointer}`, message: "is not a known field" });
  }
});

t.test("transaction/ingest - fields inside __proto__ do not count, and reach no prototype", async (t) => {
  const hidden = `{"events":[{"__proto__":${JSON.stringify(EVENT)}}]}`;
  t.strictSame(issueIn(hidden), { path: "/events/0/member_id", message: "is required" });
  const beside = `{"events":[${JSON.stringify(EVENT)}],"__proto__":{"amount":1}}`;
  t.strictSame(issueIn(beside), { path: "/__proto__", message: "is not a known field" });
  t.notOk("amount" in {});
});

t.test("transaction/ingest - a field given twice has its last value, and that one is judged", async (t) => {
  const twice = JSON.stringify({ events: [EVENT] }).replace("}]}", ',"bin":"4"}]}');
  t.strictSame(issueIn(twice), { path: "/events/0/bin", message: BIN });
});

t.test("transaction/ingest - an event that is not an object is refused", async (t) => {
  for (const event of [null, "x", 1, true, [], [EVENT]]) {
    t.strictSame(issueWith(EVENT, event), { path: "/events/1", message: "must be object" }, show(event));
  }
});

t.test("transaction/ingest - a body that is not an object with events is refused", async (t) => {
  for (const body of ["null", "1", '"events"', "[]", `[${JSON.stringify(EVENT)}]`]) {
    t.strictSame(issueIn(body), { path: "", message: "must be object" }, body);
  }
  t.strictSame(issueIn("{}"), { path: "/events", message: "is required" });
  for (const events of ["null", "{}", '"x"', JSON.stringify({ 0: EVENT, length: 1 })]) {
    t.strictSame(issueIn(`{"events":${events}}`), { path: "/events", message: "must be array" }, events);
  }
  const more = JSON.stringify({ events: [EVENT], dry_run: true });
  t.strictSame(issueIn(more), { path: "/dry_run", message: "is not a known field" });
});

t.test("transaction/ingest - 1 to 5000 events are taken, none and 5001 are not", async (t) => {
  const times = (count: number) => issueWith(...new Array<unknown>(count).fill(EVENT));
  t.equal(times(1), undefined);
  t.equal(times(5000), undefined);
  t.strictSame(times(0), { path: "/events", message: "must have at least 1 entry" });
  t.strictSame(times(5001), { path: "/events", message: "must have at most 5000 entries" });
});

t.test("transaction/ingest - one malformed event in 5000 is found, and pointed at", async (t) => {
  const events: unknown[] = new Array(5000).fill(COMPLETE);
  events[4999] = { ...COMPLETE, bin: "41111" };
  t.strictSame(issueWith(...events), { path: "/events/4999/bin", message: BIN });
});

t.test("transaction/ingest - an issue never repeats the given value", async (t) => {
  const secret = "4111111111111111";
  for (const field of Object.keys(FIELDS)) {
    for (const value of [
      `${secret}\u0000`,
      { secret },
      [secret],
      Number(secret) + 0.5,
      Number(secret) * 1e6,
    ]) {
      const issue = issueWith({ ...EVENT, [field]: value });
      t.notMatch(JSON.stringify(issue ?? null), "41111", `${field}: ${show(value)}`);
    }
  }
});
