import t from "tap";
import { PLAIN_MAP } from "./import-map.ts";
import { RowMapper } from "./map-row.ts";
import { parseMap } from "./parse-map.ts";

const EVENT = {
  member_id: "m_1",
  external_id: "tx-1",
  auth_code: "A1B2C3",
  network: "visa",
  bin: "411111",
  merchant_id: "MID-1",
  authed_at: "2026-03-01T10:00:00Z",
};
const MAP = {
  columns: {
    member_ref: "Customer",
    external_id: "Ref",
    auth_code: "Auth",
    network: "Scheme",
    bin: "Bin",
    merchant_id: "Mid",
    amount: "Amount",
    authed_at: ["Date", "Time"],
    cleared_at: "Cleared",
  },
  constants: { currency: "EUR" },
  values: { network: { VI: "visa", MC: "mastercard", "*": "other" } },
  amount: { scale: 2, decimal: "," },
  time: { zone: "Europe/Berlin", format: "DD.MM.YYYY HH:mm" },
};
const ROW = {
  Customer: "ada",
  Ref: "tx-1",
  Auth: "A1B2C3",
  Scheme: "MC",
  Bin: "411111",
  Mid: "MID-1",
  Amount: "12,50",
  Date: "01.03.2026",
  Time: "11:00",
  Cleared: "",
  Ignored: "4111111111111111",
};
const mapper = (map: object = MAP, byRef = true) =>
  new RowMapper(parseMap("map.json", JSON.stringify(map)), byRef);

t.test("a mapped row - columns, constants, tables, amounts and times make its event", async (t) => {
  t.strictSame(mapper().map(ROW), {
    event: {
      currency: "EUR",
      external_id: "tx-1",
      auth_code: "A1B2C3",
      network: "mastercard",
      bin: "411111",
      merchant_id: "MID-1",
      amount: 1250,
      authed_at: "2026-03-01T11:00:00+01:00",
      // The member is looked up by the ref.
      member_id: "",
    },
    memberRef: "ada",
  });
});

t.test("a mapped row - if a field is text, a number of JSON becomes text", async (t) => {
  const { event } = mapper().map({ ...ROW, Bin: 411111, Customer: 42, Amount: 12.5, Scheme: "VI" }) as {
    event: object;
  };
  t.match(event, { bin: "411111", amount: 1250, network: "visa" });
});

t.test("a row without a map - has columns with the names of the fields", async (t) => {
  const plain = new RowMapper(PLAIN_MAP, false);
  t.strictSame(plain.map({ ...EVENT, amount: "1250", currency: "", cleared_at: undefined }), {
    event: { ...EVENT, amount: 1250 },
    memberRef: undefined,
  });
});

t.test("a row by a map without columns - has no keys but fields", async (t) => {
  const constant = mapper({ constants: { currency: "EUR" } }, false);
  t.match(constant.map(EVENT), { event: { ...EVENT, currency: "EUR" } });
  t.match(constant.map({ ...EVENT, ammount: 7 }), { rejection: { reason: /^has a key that is no field/ } });
});

t.test("a JSON row without a map - is an event unchanged", async (t) => {
  const asIs = new RowMapper(undefined, false);
  t.strictSame(asIs.map({ ...EVENT, amount: 1250 }), {
    event: { ...EVENT, amount: 1250 },
    memberRef: undefined,
  });
  t.match(asIs.map({ ...EVENT, amount: "1250" }), { rejection: { reason: "amount must be integer" } });
  t.match(asIs.map({ ...EVENT, member_ref: "ada" }), {
    rejection: { reason: "member_ref is not a known field" },
  });
  for (const none of [null, 7, "x", [EVENT]]) {
    t.strictSame(asIs.map(none), { rejection: { code: "unreadable", reason: "is no JSON object" } });
  }
  const { member_id: _, ...nameless } = EVENT;
  const byRef = new RowMapper(undefined, true);
  t.match(byRef.map({ ...nameless, member_ref: "ada" }), { event: { member_id: "" }, memberRef: "ada" });
  t.match(byRef.map(EVENT), { event: EVENT, memberRef: undefined });
});

/** A change of a row, and the text of its rejection, which never repeats possible card data. */
const REJECTED: ReadonlyArray<readonly [change: object, rejection: object]> = [
  [{ Amount: "12,505" }, { code: "unreadable", reason: "amount has more than 2 decimal places" }],
  [{ Amount: "12.50" }, { code: "unreadable", reason: /^amount has a point/ }],
  [{ Date: "1.3.2026" }, { code: "unreadable", reason: "authed_at is not as DD.MM.YYYY HH:mm" }],
  [
    { Date: "29.03.2026", Time: "02:30" },
    {
      code: "unreadable",
      reason: "authed_at is a time that never was in Europe/Berlin",
      detail: /^2026-03-29T02:30 was skipped/,
    },
  ],
  [{ Mid: "M\ufffdnchen" }, { code: "unreadable", reason: /^merchant_id holds bytes that are not of/ }],
  [{ Bin: 4111.5 }, { code: "unreadable", reason: "bin must be text" }],
  [{ Bin: "4111" }, { code: "bad_request", reason: "bin must match ^[0-9]{6,8}$" }],
  [{ Auth: "" }, { code: "bad_request", reason: "auth_code is required" }],
  [
    { Auth: "4111111111111111" },
    { code: "bad_request", reason: /^auth_code must be printable and must not hold a card/ },
  ],
  [{ Customer: "" }, { code: "bad_request", reason: "member_ref is required" }],
  [{ Customer: "a\tb" }, { code: "bad_request", reason: /^member_ref must not hold control characters/ }],
];
for (const [change, rejection] of REJECTED) {
  t.test(`a row with ${JSON.stringify(change)} - is rejected with a reason`, async (t) => {
    t.match(mapper().map({ ...ROW, ...change }), { rejection });
  });
}

t.test("a scale by currency - is that of the row's currency", async (t) => {
  const { constants: _, ...rest } = MAP;
  const map = {
    ...rest,
    columns: { ...MAP.columns, currency: "Cur" },
    amount: { scale: { EUR: 2, JPY: 0 } },
  };
  t.match(mapper(map).map({ ...ROW, Cur: "JPY", Amount: "1250" }), { event: { amount: 1250 } });
  t.match(mapper(map).map({ ...ROW, Cur: "EUR", Amount: "1250" }), { event: { amount: 125000 } });
  t.match(mapper(map).map({ ...ROW, Cur: "USD", Amount: "1250" }), {
    rejection: { reason: /^amount has no scale/ },
  });
});

t.test("a map that names refs - needs --member-base", async (t) => {
  t.throws(() => mapper(MAP, false), {
    name: "CommandError",
    message: /^map.json:1:\d+: names member_ref: give the memberbase of these refs with --member-base/,
  });
});
