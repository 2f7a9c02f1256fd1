import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { encodeId, type StoredTransaction, stateOf, toUtcMicroseconds } from "#domain";
import type { IngestPart } from "../ingest-message.ts";
import type { TransactionEvent } from "../schemas/transaction.ts";
import { EventReader, INGEST_VERSION, packEvents, packMessage, placeOf } from "./ingest-codec.ts";
import { INGEST_LAYOUTS, relay } from "./ingest-layouts.ts";
import { type MadeFields, packRows, RowPacker, rowAt, SENT_COLUMNS } from "./row-codec.ts";
import { TRANSACTION_COLUMNS, type TransactionColumn } from "./transaction-columns.ts";

const EVENT: TransactionEvent = {
  member_id: "m_01jt7a8pvcfnp9z85hr79f9z86",
  external_id: "order-1",
  auth_code: "AUTH123",
  network: "visa",
  bin: "411111",
  merchant_id: "MID_STORE_01",
  authed_at: "2026-05-01T10:00:00Z",
};
const HEAD = { reply: "reply.1", parts: [] };
const MADE: MadeFields = {
  id: "01980000-0000-7000-8000-000000000001",
  organisationId: "01980000-0000-7000-8000-000000000002",
  identifier6: "16".repeat(32),
  identifier8: null,
  firstDescriptor: null,
};

const messageOf = (...events: TransactionEvent[]) =>
  packMessage(HEAD, [packEvents(events, [...events.keys()]).bytes]);

function readAll(message: Uint8Array): number {
  const reader = new EventReader(message);
  let count = 0;
  for (; !reader.isAtEnd; count++) reader.next();
  return count;
}

t.test("columns - those that come with an event are neighbours, and all others are made", async (t) => {
  const columns: readonly TransactionColumn[] = TRANSACTION_COLUMNS;
  t.strictSame(
    columns.filter(({ made }) => !made),
    SENT_COLUMNS,
  );
  t.throws(() => placeOf("id"), /no field of an event/);
});

/**
 * By version: the bytes that edges of that version wrote for `GOLDEN_EVENTS`. Never change a line, only add
 * one.
 */
const GOLDEN: Readonly<Record<number, string>> = {
  2: "AgAAAB57InJlcGx5IjoicmVwbHkuMSIsInBhcnRzIjpbXX0AAAAAAAAAB0FVVEgxMjMAAAAGNDExMTExAAAAEAGWjqRbbH1sn6CxwdL0/QYAAAAHb3JkZXItMQAAAAphdXRob3JpemVkAAAABHZpc2EAAAAMTUlEX1NUT1JFXzAx////////////////AAAACAAC871pocgA//////////8AAAABAAAAB0FVVEgxMjMAAAAGNDExMTExAAAAEAGWjqRbbH1sn6CxwdL0/QYAAAAHb3JkZXItMQAAAAphdXRob3JpemVkAAAABHZpc2EAAAAMTUlEX1NUT1JFXzAxAAAABUNhZsOpAAAACAAAAAAAAATiAAAAA0VVUgAAAAgAAvO9aaHIAP//////////",
};
const GOLDEN_EVENTS = [EVENT, { ...EVENT, statement_descriptor: "Caf\u00e9", amount: 1250, currency: "EUR" }];

t.test(
  "ingest message - its bytes are those of its version, and ingest reads the one before too",
  async (t) => {
    t.equal(Buffer.from(messageOf(...GOLDEN_EVENTS)).toString("base64"), GOLDEN[INGEST_VERSION]);
    t.strictSame(
      INGEST_LAYOUTS.get(INGEST_VERSION),
      SENT_COLUMNS.map(({ field }) => field),
    );
    t.strictSame([...INGEST_LAYOUTS.keys()].map(String), Object.keys(GOLDEN));
    for (const version of INGEST_LAYOUTS.keys()) {
      t.ok(version === INGEST_VERSION || version === INGEST_VERSION - 1);
      const reader = new EventReader(Buffer.from(GOLDEN[version] as string, "base64"));
      for (const { external_id, auth_code } of GOLDEN_EVENTS) {
        reader.next();
        t.equal(reader.text(placeOf("externalId")), external_id);
        t.equal(reader.authCode(), auth_code);
      }
      t.ok(reader.isAtEnd);
    }
  },
);

t.test(
  "ingest message - a field that an older layout lacks is null, and all others are as they came",
  async (t) => {
    const now = Buffer.from(messageOf(...GOLDEN_EVENTS));
    const eventsAt = packMessage(HEAD, []).length;
    const layout = SENT_COLUMNS.map(({ field }) => field);
    t.strictSame(relay(now, eventsAt, layout), now);
    // Neither cleared nor reverted: the last two fields are nulls of four bytes.
    const one = Buffer.from(messageOf(EVENT));
    const older = one.subarray(0, one.length - 8);
    t.strictSame(relay(older, eventsAt, layout.slice(0, -2)), one);
    t.throws(() => relay(older.subarray(0, -1), eventsAt, layout.slice(0, -2)), RangeError);
  },
);

t.test("ingest message - one without events is one too", async (t) => {
  const reader = new EventReader(packMessage(HEAD, []));
  t.strictSame(reader.head, HEAD);
  t.ok(reader.isAtEnd);
  t.equal(packMessage(HEAD, [])[0], INGEST_VERSION);
});

t.test("ingest message - an id that is no member's of ours is null", async (t) => {
  for (const member_id of ["", "m", "mb_01jt7a8pvcfnp9z85hr79f9z86", "x".repeat(100_000)]) {
    const reader = new EventReader(messageOf({ ...EVENT, member_id }));
    reader.next();
    t.ok(reader.isNull(placeOf("memberId")), member_id.slice(0, 40));
    t.ok(reader.bytes.length < 300);
  }
});

t.test("ingest message - one that was cut off anywhere is refused, and not read in part", async (t) => {
  const whole = messageOf(EVENT, { ...EVENT, cleared_at: "2026-05-02T10:00:00Z" });
  const eventBytes = packEvents([EVENT], [0]).bytes.length;
  const firstEvent = packMessage(HEAD, []).length;
  t.equal(readAll(whole), 2);
  for (let length = 0; length < whole.length; length++) {
    if (length === firstEvent || length === firstEvent + eventBytes) continue;
    t.throws(() => readAll(whole.subarray(0, length)), `${length} bytes`);
  }
});

t.test("ingest message - a length that no field can have is refused", async (t) => {
  const message = Buffer.from(messageOf(EVENT));
  const authCodeLength = packMessage(HEAD, []).length + 4;
  for (const length of [-2, 2 ** 31 - 1]) {
    message.writeInt32BE(length, authCodeLength);
    t.throws(() => readAll(message), RangeError);
  }
  const wide = Buffer.from(messageOf(EVENT));
  // The member's id is the first column, after auth code and BIN.
  const memberIdLength = authCodeLength + 4 + EVENT.auth_code.length + 4 + EVENT.bin.length;
  t.equal(wide.readInt32BE(memberIdLength), 16);
  wide.writeInt32BE(15, memberIdLength);
  t.throws(() => readAll(wide), RangeError);
});

t.test("ingest message - a required field cannot be null", async (t) => {
  const reader = new EventReader(messageOf(EVENT));
  reader.next();
  t.throws(() => reader.text(placeOf("currency")), RangeError);
  t.throws(() => reader.timestamp(placeOf("clearedAt")), RangeError);
  t.equal(reader.timestampOrNull(placeOf("clearedAt")), null);
  t.equal(reader.textOrNull(placeOf("statementDescriptor")), null);
});

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const fraction = fc.option(fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 9 }));
const timestamp = fc
  .tuple(
    fc.date({ min: new Date("2000-01-02"), max: new Date("2100-12-30"), noInvalidDate: true }),
    fraction,
    fc.constantFrom("Z", "z", "+00:00", "+02:30", "-11:00"),
  )
  .map(([date, digits, offset]) => {
    return `${date.toISOString().slice(0, 19)}${digits === null ? "" : `.${digits}`}${offset}`;
  });
const events: fc.Arbitrary<TransactionEvent> = fc.record(
  {
    member_id: fc.oneof(
      text,
      fc.uuid().map((uuid) => encodeId("m", uuid)),
    ),
    external_id: text,
    auth_code: text,
    network: fc.constantFrom("visa", "other"),
    bin: fc.stringMatching(/^[0-9]{6,8}$/),
    merchant_id: text,
    statement_descriptor: text,
    amount: fc.maxSafeNat(),
    currency: fc.constantFrom("EUR", "SEK"),
    authed_at: timestamp,
    cleared_at: timestamp,
    reverted_at: timestamp,
  },
  {
    requiredKeys: ["member_id", "external_id", "auth_code", "network", "bin", "merchant_id", "authed_at"],
  },
);
const parts: fc.Arbitrary<IngestPart> = fc.record(
  {
    batch: fc.uuid(),
    organisation: fc.uuid(),
    awaited: fc.boolean(),
    events: fc.nat(),
  },
  { noNullPrototype: true },
);

/** The row of an event. */
function rowOf(event: TransactionEvent, reader: EventReader): StoredTransaction {
  const { cleared_at = null, reverted_at = null } = event;
  return {
    ...MADE,
    memberId: reader.isNull(placeOf("memberId")) ? null : reader.uuid(placeOf("memberId")),
    externalId: event.external_id,
    state: stateOf({ clearedAt: cleared_at, revertedAt: reverted_at }),
    network: event.network,
    merchantId: event.merchant_id,
    statementDescriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: toUtcMicroseconds(event.authed_at),
    clearedAt: cleared_at === null ? null : toUtcMicroseconds(cleared_at),
    revertedAt: reverted_at === null ? null : toUtcMicroseconds(reverted_at),
  };
}

t.test("ingest message - packed events are read back, with any characters", async () => {
  fc.assert(
    fc.property(text, fc.array(parts), fc.array(events), (reply, parts, events) => {
      const indexes = [...events.keys()].reverse();
      const { bytes, ends } = packEvents(events, indexes);
      assert.equal(bytes.length, ends.at(-1) ?? 0);
      const reader = new EventReader(packMessage({ reply, parts }, [bytes]));
      assert.deepEqual(reader.head, { reply, parts });
      for (const index of indexes) {
        const event = events[index] as TransactionEvent;
        reader.next();
        assert.equal(reader.index, index);
        assert.equal(reader.authCode(), event.auth_code);
        assert.equal(reader.bin(), event.bin);
        assert.equal(reader.text(placeOf("externalId")), event.external_id);
        assert.equal(reader.textOrNull(placeOf("statementDescriptor")), event.statement_descriptor ?? null);
        assert.equal(reader.milliseconds(placeOf("authedAt")), Date.parse(event.authed_at));
        assert.equal(reader.timestamp(placeOf("authedAt")), toUtcMicroseconds(event.authed_at));
        assert.equal(
          reader.timestampOrNull(placeOf("clearedAt")),
          event.cleared_at === undefined ? null : toUtcMicroseconds(event.cleared_at),
        );
        if (!reader.isNull(placeOf("memberId"))) {
          assert.equal(encodeId("m", reader.uuid(placeOf("memberId"))), event.member_id);
        }
        // Copying the fields makes the same row as writing each.
        const packer = new RowPacker(1);
        packer.sent(MADE, reader.bytes, reader.sentStart, reader.sentEnd);
        const row = rowOf(event, reader);
        assert.deepEqual(packer.packed(), packRows([row]));
        assert.deepEqual(rowAt(packer.packed(), 0), row);
      }
      assert.ok(reader.isAtEnd);
    }),
    { numRuns: 200 },
  );
});
