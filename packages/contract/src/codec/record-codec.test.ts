import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { encodeId } from "#domain";
import type { PlatformRecord } from "../schemas/platform-messages.ts";
import type { TransactionEvent } from "../schemas/transaction.ts";
import { MESSAGE_VALIDATORS } from "../validation/index.ts";
import { EventReader, packEvents, packMessage } from "./ingest-codec.ts";
import { LINK_BYTES, RECORDS_VERSION } from "./record-layout.ts";
import { decodeRecords, RecordFault, RecordReader, recordsVersionOf } from "./record-reader.ts";
import {
  linkRecord,
  packRecordMessage,
  type RecordLinks,
  RecordPacker,
  writeRecord,
} from "./record-writer.ts";

const ID = "01980000-0000-7000-8000-00000000000a";
const PLAIN = {
  id: ID,
  identifier6: "16".repeat(32),
  identifier8: null,
  merchantId: "MID_STORE_01",
  statementDescriptor: null,
  authedAt: "2026-05-01T10:00:00.000000Z",
  clearedAt: null,
  revertedAt: null,
} as const;
const FULL = {
  ...PLAIN,
  identifier8: "18".repeat(32),
  statementDescriptor: "Café 12",
  clearedAt: "2026-05-02T10:00:00.000001Z",
  revertedAt: "2026-05-03T10:00:00.999999Z",
};
const LINKS: RecordLinks = {
  clips: [{ id: ID, dealId: "01980000-0000-7000-8000-00000000000d" }],
  enrolments: [{ id: ID, loyaltyProgramId: "01980000-0000-7000-8000-00000000000e" }],
};
const NO_LINKS: RecordLinks = { clips: [], enrolments: [] };
type Written = Parameters<typeof writeRecord>[0];

const write = (transaction: Written, links?: RecordLinks) => {
  const bytes = writeRecord(transaction);
  return links === undefined ? bytes : linkRecord(bytes, links);
};

/** The record of a transaction. */
function recordOf(one: Written, { clips, enrolments }: RecordLinks = NO_LINKS): PlatformRecord {
  return {
    transaction_id: encodeId("tx", one.id),
    identifiers: [one.identifier6, ...(one.identifier8 === null ? [] : [one.identifier8])],
    merchant_id: one.merchantId,
    ...(one.statementDescriptor !== null && { statement_descriptor: one.statementDescriptor }),
    authed_at: one.authedAt,
    ...(one.clearedAt !== null && { cleared_at: one.clearedAt }),
    ...(one.revertedAt !== null && { reverted_at: one.revertedAt }),
    clips: clips.map(({ id, dealId }) => ({
      clip_id: encodeId("clip", id),
      deal_id: encodeId("deal", dealId),
    })),
    enrolments: enrolments.map(({ id, loyaltyProgramId }) => ({
      stamp_collection_id: encodeId("sc", id),
      loyalty_program_id: encodeId("lp", loyaltyProgramId),
    })),
  };
}

/**
 * By version: the bytes that ingest of that version wrote for `GOLDEN_RECORDS`. Never change a line, only add
 * one.
 */
const GOLDEN: Readonly<Record<number, string>> = {
  2: "AgAAAEsBmAAAAABwAIAAAAAAAAAKAAAC871pocgAFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYADE1JRF9TVE9SRV8wMQAAAAAAAADFAZgAAAAAcACAAAAAAAAACg8AAvO9aaHIABYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgAAvPRh3koAQAC8+WlX8o/AAxNSURfU1RPUkVfMDEACENhZsOpIDEyAAEBmAAAAABwAIAAAAAAAAAKAZgAAAAAcACAAAAAAAAADQABAZgAAAAAcACAAAAAAAAACgGYAAAAAHAAgAAAAAAAAA4=",
};
const GOLDEN_RECORDS = [recordOf(PLAIN), recordOf(FULL, LINKS)];

t.test("records - their bytes are those of their version", async (t) => {
  const message = packRecordMessage([write(PLAIN), write(FULL, LINKS)]);
  t.equal(Buffer.from(message).toString("base64"), GOLDEN[RECORDS_VERSION]);
  // Version 1 is JSON: test/flow/golden-messages.ts.
  t.strictSame(Object.keys(GOLDEN), [String(RECORDS_VERSION)]);
  for (const golden of Object.values(GOLDEN)) {
    t.strictSame(decodeRecords(Buffer.from(golden, "base64")), GOLDEN_RECORDS);
  }
});

t.test("records - the example in docs/platform-api.md decodes to its explanation", async (t) => {
  const page = readFileSync(new URL("../../../../../docs/platform-api.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("### A record, byte by byte");
  const [, lines = "", json = ""] = /^```\n(.+?)^```.+?^```json\n(.+?)^```/ms.exec(section) ?? [];
  const digits = lines.split("\n").map((line) => line.split(/ {2,}/)[0]?.replaceAll(" ", ""));
  const message = Buffer.from(digits.join(""), "hex");
  t.strictSame(decodeRecords(message), [JSON.parse(json)]);
});

t.test("records - one without links takes at most 130 bytes of the stream", async (t) => {
  const usual = { ...PLAIN, identifier8: "18".repeat(32), statementDescriptor: "ACME STORE 01" };
  t.equal(write(usual).length, 4 + 16 + 1 + 8 + 64 + (2 + 12) + (2 + 13) + 4);
  t.ok(write(usual).length <= 130);
  t.equal(write(usual, LINKS).length, write(usual).length + 2 * LINK_BYTES);
});

t.test("records - the first byte of a message, its version, distinguishes it from JSON", async (t) => {
  const versions = ["{", "[", " {", "\n{", "\t{", "\r{", "", "\u0001", "\u0002", "\u0003"].map((text) =>
    recordsVersionOf(Buffer.from(text)),
  );
  t.strictSame(versions, [...new Array(8).fill(undefined), 2, 3], "lower bytes are no versions");
  t.throws(() => decodeRecords(Buffer.from([3, ...write(PLAIN)])), RangeError);
  t.throws(() => decodeRecords(Buffer.from([RECORDS_VERSION])), RangeError, "it has one at least");
  t.throws(() => decodeRecords(new Uint8Array()), RangeError);
});

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const storable = text.filter((one) => !one.includes("\0") && one.isWellFormed());
const timestamp = fc
  .tuple(
    fc.date({ min: new Date("2000-01-01"), max: new Date("2100-12-31T23:59:59.999Z"), noInvalidDate: true }),
    fc.nat(999),
  )
  .map(([date, us]) => `${date.toISOString().slice(0, -1)}${String(us).padStart(3, "0")}Z`);
const identifier = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const transaction: fc.Arbitrary<Written> = fc.record(
  {
    id: fc.uuid(),
    identifier6: identifier,
    identifier8: fc.option(identifier),
    merchantId: storable,
    statementDescriptor: fc.option(storable),
    authedAt: timestamp,
    clearedAt: fc.option(timestamp),
    revertedAt: fc.option(timestamp),
  },
  { noNullPrototype: true },
);
const links: fc.Arbitrary<RecordLinks> = fc.record(
  {
    clips: fc.array(fc.record({ id: fc.uuid(), dealId: fc.uuid() }, { noNullPrototype: true }), {
      maxLength: 3,
    }),
    enrolments: fc.array(
      fc.record({ id: fc.uuid(), loyaltyProgramId: fc.uuid() }, { noNullPrototype: true }),
      { maxLength: 3 },
    ),
  },
  { noNullPrototype: true },
);

t.test("records - a written record is read back, and is valid by the schema", async () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(transaction, links), { minLength: 1, maxLength: 5 }), (all) => {
      const message = packRecordMessage(all.map(([one, own]) => write(one, own)));
      const expected = all.map(([one, own]) => recordOf(one, own));
      // Compared as texts: kept records differ by the order of their fields, too.
      assert.equal(JSON.stringify(decodeRecords(message)), JSON.stringify(expected));
      for (const record of decodeRecords(message)) assert.ok(MESSAGE_VALIDATORS.platformRecord(record));
      const reader = new RecordReader(message);
      for (const [one, { clips, enrolments }] of all) {
        reader.next();
        assert.equal(reader.transactionId(), one.id);
        assert.equal(reader.merchantId(), one.merchantId);
        assert.equal(reader.statementDescriptor(), one.statementDescriptor);
        assert.equal(reader.isReverted, one.revertedAt !== null);
        assert.equal(Math.floor(reader.authedAt / 1000), Date.parse(one.authedAt));
        assert.equal(reader.hasLinks, clips.length + enrolments.length > 0);
        assert.equal(reader.isCleared, one.clearedAt !== null);
        assert.deepEqual(reader.clips(), new Map(clips.map(({ id, dealId }) => [id, dealId])));
        const cards = enrolments.map(({ id, loyaltyProgramId }) => [id, loyaltyProgramId] as const);
        assert.deepEqual(reader.enrolments(), new Map(cards));
      }
      assert.ok(reader.isAtEnd);
    }),
    { numRuns: 300 },
  );
});

t.test("records - one of an event, copied out of its message, is the one of its transaction", async () => {
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 5 }), (all) => {
      const events = all.map(
        (one): TransactionEvent => ({
          member_id: "",
          external_id: "order",
          auth_code: "A1",
          network: "visa",
          bin: "411111",
          merchant_id: one.merchantId,
          ...(one.statementDescriptor !== null && { statement_descriptor: one.statementDescriptor }),
          authed_at: one.authedAt,
          ...(one.clearedAt !== null && { cleared_at: one.clearedAt }),
          ...(one.revertedAt !== null && { reverted_at: one.revertedAt }),
        }),
      );
      const reader = new EventReader(
        packMessage({ reply: "", parts: [] }, [packEvents(events, [...events.keys()]).bytes]),
      );
      const packer = new RecordPacker(all.length);
      for (const { id, identifier6, identifier8 } of all) {
        reader.next();
        packer.sent({ id, identifier6, identifier8 }, reader);
      }
      assert.equal(packer.count, all.length);
      const { bytes } = packer.packed();
      assert.deepEqual(bytes, Buffer.concat(all.map((one) => writeRecord(one))));
      const byRow = new RecordPacker(all.length);
      for (const one of all) byRow.row(one);
      assert.deepEqual(packer.packed(), byRow.packed());
    }),
    { numRuns: 300 },
  );
});

t.test("records - a text that its length cannot tell is not written", async (t) => {
  const longest = { ...PLAIN, merchantId: "€".repeat(0xffff / 3) };
  t.equal(decodeRecords(packRecordMessage([write(longest)]))[0]?.merchant_id, longest.merchantId);
  const merchantId = `${longest.merchantId}x`;
  t.throws(() => write({ ...PLAIN, merchantId }), RangeError);
  const event: TransactionEvent = {
    ...{ member_id: "", external_id: "order", auth_code: "A1", network: "visa", bin: "411111" },
    ...{ merchant_id: merchantId, authed_at: "2026-05-01T10:00:00Z" },
  };
  const reader = new EventReader(packMessage({ reply: "", parts: [] }, [packEvents([event], [0]).bytes]));
  reader.next();
  t.throws(() => new RecordPacker(1).sent(PLAIN, reader), RangeError);
});

/** Positions in the first record of the message, counted from its length. */
const AT = { id: 4, parts: 20, authedAt: 21, identifiers: 29, merchantIdOfPlain: 61 };

/** Changes one record between two others, and returns the fault. */
function faultOf(record: Uint8Array, change: (bytes: Buffer) => unknown): [string, string] | undefined {
  const bytes = Buffer.from(record);
  const made = change(bytes);
  const changed = Buffer.from(made instanceof Uint8Array ? made : bytes);
  changed.writeUInt32BE(changed.length - 4, 0);
  const reader = new RecordReader(packRecordMessage([write(PLAIN), changed, write(FULL, LINKS)]));
  reader.next();
  let fault: [string, string] | undefined;
  try {
    reader.next();
  } catch (error) {
    assert.ok(error instanceof RecordFault);
    fault = [error.path, error.message];
    assert.equal(reader.transactionIdIfAny(), changed.length < 4 + 16 ? undefined : ID);
  }
  reader.next();
  assert.deepEqual(reader.record(), recordOf(FULL, LINKS));
  assert.ok(reader.isAtEnd);
  return fault;
}

t.test("records - an invalid one is refused alone, and names its fault", async (t) => {
  t.equal(
    faultOf(write(FULL), () => {}),
    undefined,
  );
  const text = (bytes: number[]) => (record: Buffer) => {
    const length = record.readUInt16BE(AT.merchantIdOfPlain);
    const before = record.subarray(0, AT.merchantIdOfPlain);
    const behind = record.subarray(AT.merchantIdOfPlain + 2 + length);
    return Buffer.concat([before, Buffer.from([0, bytes.length, ...bytes]), behind]);
  };
  const noText = ["/merchant_id", "must be UTF-8 without NUL"];
  for (const bytes of [
    [0],
    [65, 0],
    [0xff],
    [0xc3],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xc3, 0xa9, 0],
    [65, 0xc3, 0xa9, 0xc3],
  ]) {
    t.strictSame(faultOf(write(PLAIN), text(bytes)), noText, bytes.join());
  }
  t.equal(faultOf(write(PLAIN), text([0xc3, 0xa9])), undefined);
  t.equal(faultOf(write(PLAIN), text([])), undefined, "as the schema allows");
  const instant = (at: number, value: bigint) => (record: Buffer) => record.writeBigInt64BE(value, at);
  const year2101 = BigInt(Date.UTC(2101, 0, 1) - Date.UTC(2000, 0, 1)) * 1000n;
  const noInstant = (path: string) => [path, "must be of the years 2000 to 2100"];
  for (const [at, path] of [
    [AT.authedAt, "/authed_at"],
    [AT.identifiers + 64, "/cleared_at"],
    [AT.identifiers + 72, "/reverted_at"],
  ] as const) {
    for (const value of [-1n, year2101, -(2n ** 63n), 2n ** 63n - 1n]) {
      t.strictSame(faultOf(write(FULL), instant(at, value)), noInstant(path), `${value}`);
    }
    for (const value of [0n, year2101 - 1n]) t.equal(faultOf(write(FULL), instant(at, value)), undefined);
  }
  const parts = (record: Buffer) => record.writeUInt8(0x80 | (record[AT.parts] as number), AT.parts);
  t.strictSame(faultOf(write(PLAIN), parts), ["", "must not have parts that are not known"]);
  const longer = (record: Buffer) => Buffer.concat([record, Buffer.alloc(1)]);
  t.strictSame(faultOf(write(PLAIN), longer), ["", "must end with its last part"]);
  for (const record of [write(PLAIN), write(FULL, LINKS)]) {
    for (let length = 4; length < record.length; length++) {
      t.strictSame(
        faultOf(record, (bytes) => bytes.subarray(0, length)),
        ["", "must be as long as its parts"],
        `${length} of ${record.length} bytes`,
      );
    }
  }
});

t.test("records - a message that was cut off anywhere is refused, and not read in part", async (t) => {
  const records = [write(PLAIN), write(FULL, LINKS)];
  const whole = packRecordMessage(records);
  const wholeToo = 1 + (records[0] as Uint8Array).length;
  for (let length = 0; length < whole.length; length++) {
    if (length === wholeToo) continue;
    t.throws(() => new RecordReader(whole.subarray(0, length)), RangeError, `${length} bytes`);
  }
});

/** Reads everything: only this kind of error may come, and everything read must be valid by the schema. */
function readAll(message: Uint8Array): number {
  let reader: RecordReader;
  try {
    reader = new RecordReader(message);
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return 0;
  }
  let read = 0;
  while (!reader.isAtEnd) {
    try {
      reader.next();
    } catch (error) {
      assert.ok(error instanceof RecordFault);
      reader.transactionIdIfAny();
      continue;
    }
    const record = reader.record();
    assert.ok(MESSAGE_VALIDATORS.platformRecord(record), JSON.stringify(record));
    assert.equal(record.transaction_id, encodeId("tx", reader.transactionId()));
    reader.mayBeOf({
      mayHave: (bytes, start, end) => {
        assert.ok(start <= end && end <= bytes.length);
        return true;
      },
    });
    read++;
  }
  return read;
}

t.test("records - any bytes are refused or read, and nothing after them is read", async (t) => {
  const whole = Buffer.from(packRecordMessage([write(PLAIN), write(FULL, LINKS), write(PLAIN, LINKS)]));
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole);
    (flipped[bit >> 3] as number) ^= 1 << (bit & 7);
    readAll(flipped);
  }
  const any = fc.uint8Array({ maxLength: 300 });
  const framed = fc.array(any, { minLength: 1, maxLength: 4 }).map((records) =>
    packRecordMessage(
      records.map((record) => {
        const bytes = Buffer.concat([Buffer.alloc(4), record]);
        bytes.writeUInt32BE(record.length, 0);
        return bytes;
      }),
    ),
  );
  const damaged = fc
    .tuple(
      transaction,
      links,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(),
    )
    .map(([one, own, changes, cut]) => {
      const record = Buffer.from(write(one, own));
      for (const [at, byte] of changes) record[at % record.length] = byte;
      const message = Buffer.from(packRecordMessage([record]));
      // Within a larger block of memory, like messages of a connection: the bytes around it must not be read.
      const block = Buffer.concat([message, Buffer.from(write(FULL, LINKS))]);
      return cut % 2 === 0 ? block.subarray(0, message.length) : block.subarray(0, cut % message.length);
    });
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(any, framed, damaged), (message) => {
      read += readAll(message);
    }),
    { numRuns: 5_000 },
  );
  t.ok(read > 100, `${read} were read all the same`);
});
