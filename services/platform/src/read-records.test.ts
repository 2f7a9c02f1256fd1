import t from "tap";
import type { PlatformRecord } from "#contract/platform";
import { encodeId, microsecondsOf } from "#domain";
import { indexRoutes, type PreparedPrograms, Revisions } from "#domain/platform";
import { readRecords } from "./handle-records.ts";

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const ROUTES = indexRoutes([
  { id: uuid(1), since: 0, value: { merchantIds: ["SOLE"], statementDescriptors: [] } },
  { id: uuid(2), since: 0, value: { merchantIds: ["SHARED"], statementDescriptors: ["ACME*"] } },
  { id: uuid(3), since: 0, value: { merchantIds: ["SHARED", "TIED"], statementDescriptors: ["BOLT"] } },
  { id: uuid(4), since: 0, value: { merchantIds: ["TIED"], statementDescriptors: ["BOLT"] } },
]);
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
  readRecords(messages, { routes: ROUTES, prepared: NO_PROGRAMS, named: NAMED });

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
    [{ merchant_id: "NOBODY" }, "unknown_merchant"],
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
  t.match(read(message(record({ merchant_id: "NOBODY", reverted_at }))).revertedElsewhere, [
    { transactionId: uuid(100), mayBeRouted: false },
  ]);
  t.strictSame(read(message(record({ merchant_id: "NOBODY" }))).revertedElsewhere, []);
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
    t.equal(unrouted({ merchant_id: "NOBODY", reverted_at }), 0);
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
    message(record({ merchant_id: "NOBODY" })),
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

t.test("read - what is no packed message is said so", (t) => {
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
