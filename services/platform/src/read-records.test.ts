import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { packRecordMessage, RECORDS_VERSION, writeRecord } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { encodeId, microsecondsOf } from "#domain";
import { recordMessage } from "#test-support";
import { readRecords } from "./handle-records.ts";
import { OtherVersionError } from "./matching/said-record.ts";
import type { PreparedPrograms } from "./rules/explain-purchase.ts";
import { MerchantFilter } from "./rules/merchant-filter.ts";
import { Revisions } from "./rules/revisions.ts";
import { indexRoutes } from "./rules/route-transaction.ts";
import { prepareRules } from "./rules/rules.ts";
import { rulesOf, unchanging } from "./rules/test-rules.ts";

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const ROUTES = indexRoutes([
  { id: uuid(1), since: 0, value: { merchantIds: ["SOLE"], statementDescriptors: [] } },
  { id: uuid(2), since: 0, value: { merchantIds: ["SHARED"], statementDescriptors: ["ACME*"] } },
  { id: uuid(3), since: 0, value: { merchantIds: ["SHARED", "TIED"], statementDescriptors: ["BOLT"] } },
  { id: uuid(4), since: 0, value: { merchantIds: ["TIED"], statementDescriptors: ["BOLT"] } },
]);
const MERCHANTS = new MerchantFilter(ROUTES);
const ID = encodeId("tx", uuid(100));
const record = (changes: Partial<PlatformRecord> = {}): PlatformRecord => ({
  transaction_id: ID,
  identifiers: ["b".repeat(64), "a".repeat(64)],
  merchant_id: "SOLE",
  authed_at: "2026-03-01T13:00:00.123456789+01:00",
  clips: [{ clip_id: encodeId("clip", uuid(5)), deal_id: encodeId("deal", uuid(6)) }],
  enrolments: [{ stamp_collection_id: encodeId("sc", uuid(7)), loyalty_program_id: encodeId("lp", uuid(8)) }],
  ...changes,
});
const NO_PROGRAMS: PreparedPrograms = { programs: new Revisions([]), deals: new Revisions([]) };
const NAMED = new Set(["NAMED"]);
const message = (...records: unknown[]) => Buffer.from(JSON.stringify({ v: 1, records }));
const read = (...messages: Uint8Array[]) =>
  readRecords(messages, { routes: ROUTES, merchants: MERCHANTS, prepared: NO_PROGRAMS, named: NAMED });

t.test("read - a routed record, decoded", (t) => {
  const { routed, faults, counts, invalid } = read(message(record()));
  t.strictSame(faults, [undefined]);
  t.strictSame(invalid, []);
  t.strictSame([...counts], [["routed", 1]]);
  t.strictSame(routed, [
    {
      message: 0,
      record: {
        transactionId: uuid(100),
        route: { retailerId: uuid(1), shared: false },
        state: "authorized",
        merchantId: "SOLE",
        statementDescriptor: null,
        isFirstDescriptor: true,
        authedAt: microsecondsOf("2026-03-01T12:00:00.123456Z"),
        identifiers: ["a".repeat(64), "b".repeat(64)],
        clips: new Map([[uuid(5), uuid(6)]]),
        enrolments: new Map([[uuid(7), uuid(8)]]),
      },
    },
  ]);
  t.end();
});

t.test("read - where retailers share a merchant id, the descriptor routes; each routing is counted", (t) => {
  const cases: ReadonlyArray<[Partial<PlatformRecord>, string, string?]> = [
    [{ merchant_id: " sole ", statement_descriptor: "ANY" }, "routed", uuid(1)],
    [{ merchant_id: "SHARED", statement_descriptor: "acme*berlin" }, "routed", uuid(2)],
    [{ merchant_id: "SHARED", statement_descriptor: "OTHER" }, "no_descriptor_matches"],
    [{ merchant_id: "SHARED" }, "no_descriptor_matches"],
    [{ merchant_id: "TIED", statement_descriptor: "BOLT" }, "ambiguous"],
    [{ merchant_id: "UNOWNED" }, "unknown_merchant"],
  ];
  for (const [changes, routing, retailerId] of cases) {
    const { counts, routed } = read(message(record(changes)));
    t.strictSame([...counts], [[routing, 1]]);
    t.equal(routed[0]?.record.route.retailerId, retailerId);
  }
  t.end();
});

t.test(
  "regression - a clearing in one batch with its authorization moved the purchase to its own descriptor",
  (t) => {
    const authorized = record({ merchant_id: "SHARED", statement_descriptor: "ACME*1" });
    const cleared = { ...authorized, cleared_at: "2026-03-02T00:00:00Z", statement_descriptor: "BOLT 1" };
    t.match(read(message(cleared)).routed, [{ record: { route: { retailerId: uuid(3) } } }]);
    for (const order of [
      [authorized, cleared],
      [cleared, authorized],
      [cleared, authorized, cleared],
    ]) {
      const { routed, counts } = read(...order.map((one) => message(one)));
      t.match(routed, [
        { record: { state: "cleared", statementDescriptor: "ACME*1", route: { retailerId: uuid(2) } } },
      ]);
      t.equal(routed.length, 1);
      t.equal(counts.get("routed"), order.length);
    }
    t.end();
  },
);

t.test("read - a reversal that routes nowhere still reverts", (t) => {
  const reverted_at = "2026-03-02T00:00:00Z";
  const elsewhere = record({ merchant_id: "SHARED", statement_descriptor: "OTHER", reverted_at });
  t.match(read(message(elsewhere)).revertedElsewhere, [{ transactionId: uuid(100), mayBeRouted: true }]);
  t.match(read(message(record({ merchant_id: "UNOWNED", reverted_at }))).revertedElsewhere, [
    { transactionId: uuid(100), mayBeRouted: false },
  ]);
  t.strictSame(read(message(record({ merchant_id: "UNOWNED" }))).revertedElsewhere, []);
  t.match(read(message(record(), elsewhere)).routed, [{ record: { state: "reverted" } }]);
  t.end();
});

t.test(
  "read - of a merchant without retailer a reversal is kept, links or not, where rules name the merchant",
  (t) => {
    const reverted_at = "2026-03-02T00:00:00Z";
    const unrouted = (changes: Partial<PlatformRecord>) =>
      read(message(record({ clips: [], enrolments: [], ...changes }))).unrouted.length;
    t.equal(unrouted({ merchant_id: " named", reverted_at }), 1);
    t.equal(unrouted({ merchant_id: "named" }), 0, "it may not earn");
    t.equal(unrouted({ merchant_id: "UNOWNED", reverted_at }), 0);
    t.end();
  },
);

t.test("read - invalid records are named with their faults, the others are read", (t) => {
  const wrong = [
    null,
    7,
    { ...record(), auth_code: "A1" },
    record({ identifiers: ["A".repeat(64)] }),
    record({ identifiers: [] }),
    record({ authed_at: "yesterday" }),
    record({ merchant_id: "\u0000" }),
    record({ statement_descriptor: "\ud800" }),
    record({ transaction_id: encodeId("m", uuid(1)) }),
  ];
  const { invalid, routed, faults, counts } = read(
    message(record({ merchant_id: "UNOWNED" })),
    message(...wrong, record()),
  );
  t.strictSame(faults, [undefined, undefined]);
  t.equal(routed.length, 1);
  t.equal(counts.get("routed"), 1);
  t.strictSame(
    invalid.map(({ message, entry }) => [message, entry]),
    wrong.map((_, entry) => [1, entry]),
  );
  t.strictSame(
    invalid.map(({ transactionId }) => transactionId),
    [undefined, undefined, ...new Array(6).fill(ID), encodeId("m", uuid(1))],
  );
  t.end();
});

t.test("read - links with ids of another form are left out", (t) => {
  const { routed } = read(
    message(
      record({
        clips: [{ clip_id: "clip_x", deal_id: encodeId("deal", uuid(6)) }],
        enrolments: [{ stamp_collection_id: encodeId("sc", uuid(7)), loyalty_program_id: "" }],
      }),
    ),
  );
  t.strictSame(
    routed.map(({ record }) => [record.clips, record.enrolments]),
    [[new Map(), new Map()]],
  );
  t.end();
});

t.test("read - data that is no packed message is reported", (t) => {
  const { faults } = read(
    Buffer.from("{"),
    Buffer.from([0xff]),
    Buffer.from("null"),
    Buffer.from('{"v":2,"records":[{}]}'),
    Buffer.from('{"v":1,"records":[]}'),
    message(record()),
  );
  t.strictSame(faults, [
    "unreadable_message",
    "unreadable_message",
    "invalid_message",
    "invalid_message",
    "invalid_message",
    undefined,
  ]);
  t.end();
});

const PROGRAMS: PreparedPrograms = {
  programs: unchanging([
    [uuid(8), { rules: prepareRules(rulesOf({ merchantIds: [" late "] })), threshold: 5 } as never],
  ]),
  deals: unchanging([[uuid(6), { rules: prepareRules(rulesOf({ merchantIds: ["Ünbekannt"] })) } as never]]),
};

const linkIds = fc.nat(9).map((n) => uuid(n));
const anyRecord = fc
  .record(
    {
      transaction_id: fc.nat(3).map((n) => encodeId("tx", uuid(100 + n))),
      identifiers: fc.subarray(["b".repeat(64), "a".repeat(64)], { minLength: 1 }),
      merchant_id: fc.constantFrom(
        "SOLE",
        "sole ",
        "\u00a0Sole",
        "SHARED",
        "TIED",
        "UNOWNED",
        "Late",
        "ünbekannt",
        "",
      ),
      statement_descriptor: fc.constantFrom("ACME*1", "acme*", "BOLT é", "OTHER", ""),
      authed_at: fc.constantFrom("2000-01-01T00:00:00.000000Z", "2026-03-01T12:00:00.123456Z"),
      cleared_at: fc.constant("2026-03-02T12:00:00.000000Z"),
      reverted_at: fc.constant("2026-03-03T12:00:00.000000Z"),
      clips: fc.array(
        fc
          .tuple(linkIds, linkIds)
          .map(([id, deal]) => ({ clip_id: encodeId("clip", id), deal_id: encodeId("deal", deal) })),
        { maxLength: 2 },
      ),
      enrolments: fc.array(
        fc.tuple(linkIds, linkIds).map(([id, program]) => ({
          stamp_collection_id: encodeId("sc", id),
          loyalty_program_id: encodeId("lp", program),
        })),
        { maxLength: 2 },
      ),
    },
    {
      requiredKeys: ["transaction_id", "identifiers", "merchant_id", "authed_at", "clips", "enrolments"],
      noNullPrototype: true,
    },
  )
  // In ingest's order of fields: a record is kept unchanged.
  .map(
    (one): PlatformRecord => ({
      transaction_id: one.transaction_id,
      identifiers: one.identifiers,
      merchant_id: one.merchant_id,
      ...(one.statement_descriptor !== undefined && { statement_descriptor: one.statement_descriptor }),
      authed_at: one.authed_at,
      ...(one.cleared_at !== undefined && { cleared_at: one.cleared_at }),
      ...(one.reverted_at !== undefined && { reverted_at: one.reverted_at }),
      clips: one.clips,
      enrolments: one.enrolments,
    }),
  );

t.test("read - records of bytes are read as JSON that says the same", async (t) => {
  const configuration = {
    routes: ROUTES,
    merchants: MERCHANTS,
    prepared: PROGRAMS,
    named: new Set(["LATE"]),
  };
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.array(anyRecord, { minLength: 1, maxLength: 4 }), { maxLength: 3 }), (batch) => {
      const json = readRecords(
        batch.map((records) => message(...records)),
        configuration,
      );
      const bytes = readRecords(
        batch.map((records) => recordMessage(...records)),
        configuration,
      );
      assert.deepEqual(bytes, json);
      assert.equal(JSON.stringify(bytes.unrouted), JSON.stringify(json.unrouted), "as texts, too");
      for (const routing of bytes.counts.keys()) seen.add(routing);
      if (bytes.routed.length > 0) seen.add("a routed record");
      if (bytes.revertedElsewhere.length > 0) seen.add("a reversal elsewhere");
      for (const { record } of bytes.unrouted) {
        seen.add(`kept, ${record.reverted_at === undefined ? "it may earn" : "it reverts"}`);
      }
    }),
    { numRuns: 2_000 },
  );
  t.strictSame([...seen].sort(), [
    "a reversal elsewhere",
    "a routed record",
    "ambiguous",
    "kept, it may earn",
    "kept, it reverts",
    "no_descriptor_matches",
    "routed",
    "unknown_merchant",
  ]);
});

t.test("read - an invalid record of bytes is named with its fault, the others are read", async (t) => {
  const bare = { identifier6: "a".repeat(64), identifier8: null, statementDescriptor: null };
  const plain = { ...bare, ...{ merchantId: "SOLE", authedAt: "2026-03-01T12:00:00.000000Z" } };
  const transaction = { ...plain, ...{ id: uuid(100), clearedAt: null, revertedAt: null } };
  const wrong = Buffer.from(writeRecord({ ...transaction, merchantId: "NUL" }));
  wrong[wrong.indexOf("NUL")] = 0;
  const short = Buffer.from([0, 0, 0, 3, 1, 2, 3]);
  const good = writeRecord(transaction);
  const { invalid, routed, faults } = read(
    packRecordMessage([good]),
    packRecordMessage([short, wrong, good]),
  );
  t.strictSame(faults, [undefined, undefined]);
  t.strictSame(invalid, [
    {
      message: 1,
      entry: 0,
      transactionId: undefined,
      issues: [{ path: "", message: "must be as long as its parts" }],
    },
    {
      message: 1,
      entry: 1,
      transactionId: ID,
      issues: [{ path: "/merchant_id", message: "must be UTF-8 without NUL" }],
    },
  ]);
  t.equal(routed.length, 1);
});

t.test("read - bytes of another version wait, and those that are cut off are dead", async (t) => {
  const whole = recordMessage(record({ authed_at: "2026-03-01T12:00:00Z" }));
  const later = Buffer.from(whole);
  later[0] = RECORDS_VERSION + 1;
  const { faults, routed } = read(later, whole.subarray(0, -1), whole.subarray(0, 1), whole);
  const [other, ...rest] = faults;
  t.ok(other instanceof OtherVersionError);
  t.match(other, {
    message: /^records of version 3, and this process reads versions 1 and 2: start the platform/,
  });
  t.strictSame(rest, ["unreadable_message", "unreadable_message", undefined]);
  t.equal(routed.length, 1);
});
