import t from "tap";
import { uuidv7 } from "uuidv7";
import type { TransactionEvent } from "#contract";
import { INGEST_VERSION, packEvents, packMessage } from "#contract/codec";
import type { IngestPart } from "#contract/ingest";
import { encodeId } from "#domain";
import { eventAt, keyAt } from "./event-batch.ts";
import { OtherVersionError, prepareBatch, type RawMessage } from "./prepare-batch.ts";

const ORGANISATION = "01980000-0000-7000-8000-000000000001";
const EVENT: TransactionEvent = {
  member_id: encodeId("m", uuidv7()),
  external_id: "order",
  auth_code: "A1",
  network: "visa",
  bin: "411111",
  merchant_id: "M1",
  authed_at: "2026-05-01T10:00:00Z",
};

function partOf(events: number): IngestPart {
  return { batch: uuidv7(), organisation: ORGANISATION, awaited: true, events };
}

/** @param said the number of events that the parts claim */
function messageOf(names: readonly string[], said = names.length): Uint8Array {
  const events = names.map((name) => ({ ...EVENT, external_id: name }));
  const { bytes } = packEvents(events, [...events.keys()]);
  return packMessage({ reply: "reply", parts: [partOf(said)] }, [bytes]);
}

const ONE = packEvents([EVENT], [0]).bytes;

/** A message of one event, with these fields. */
function oneOf(fields: Partial<TransactionEvent>): Uint8Array {
  const { bytes } = packEvents([{ ...EVENT, ...fields }], [0]);
  return packMessage({ reply: "reply", parts: [partOf(1)] }, [bytes]);
}

/** A message of one event, whose place in its request is no number of a row's column. */
function withoutPlace(): Uint8Array {
  const bytes = Buffer.from(ONE);
  bytes[0] = 0x80;
  return packMessage({ reply: "reply", parts: [partOf(1)] }, [bytes]);
}

/** Heads of a message of one event, each with one fault. */
function damagedHeads(): object[] {
  const part = partOf(1);
  const faults = [
    { organisation: undefined },
    { organisation: "o" },
    { batch: "b" },
    { events: "1" },
    { events: 0.5 },
  ];
  return [
    { parts: [part] },
    { reply: "two words", parts: [part] },
    { reply: "reply", parts: { 0: part } },
    {
      reply: "reply",
      parts: [
        { ...part, events: 2 },
        { ...part, events: -1 },
      ],
    },
    ...faults.map((fault) => ({ reply: "reply", parts: [{ ...part, ...fault }] })),
  ];
}

/** Messages of one event, each with one field that ends in the middle of a character. */
function notUtf8(): [string, Uint8Array][] {
  const fields = [
    "external_id",
    "auth_code",
    "bin",
    "network",
    "merchant_id",
    "statement_descriptor",
    "currency",
  ];
  return fields.map((field) => {
    const bytes = Buffer.from(oneOf({ [field]: "~~~" }));
    bytes[bytes.indexOf("~~~") + 2] = 0xc3;
    return [field, bytes];
  });
}

/** A message that was put back from the dead letters. */
function redriveOf(...names: readonly string[]): RawMessage {
  const { events } = prepare(messageOf(names));
  const rows = names.map((_, ord) => eventAt(events, ord));
  return Buffer.from(JSON.stringify({ v: 1, rows }));
}

const prepare = (...messages: RawMessage[]) => prepareBatch({ messages, key: "test" });
const keysIn = ({ events }: ReturnType<typeof prepare>) =>
  Array.from({ length: events.count }, (_, ord) => keyAt(events, ord).externalId);

t.test(
  "prepare - a message that cannot be read whole leaves nothing of itself between the others",
  async (t) => {
    const whole = messageOf(["c", "d"]);
    const unreadable: (readonly [string, RawMessage])[] = [
      ["empty", new Uint8Array()],
      ["cut off", whole.subarray(0, -1)],
      ["no head", whole.subarray(0, 3)],
      ["more events than its parts say", messageOf(["c", "d"], 1)],
      ["fewer events than its parts say", messageOf(["c", "d"], 3)],
      ["far fewer", messageOf(["c", "d"], 2 ** 40)],
      ["a head that is no JSON", Buffer.from([INGEST_VERSION, 0, 0, 0, 1, 65])],
      ["a head without parts", packMessage({ reply: "reply" } as never, [])],
      ...damagedHeads().map((head) => [JSON.stringify(head), packMessage(head as never, [ONE])] as const),
      ["an instant before 2000", oneOf({ authed_at: "1999-12-31T23:59:59Z" })],
      ["an instant after 2100", oneOf({ cleared_at: "2101-01-01T00:00:00Z" })],
      ["a key that is too long for an index", oneOf({ external_id: "a".repeat(257) })],
      ["a key with a NUL, which no database takes", oneOf({ external_id: "a\0b" })],
      ["a place beyond those of a column", withoutPlace()],
      ...notUtf8().map(([field, bytes]) => [`no UTF-8 in ${field}`, bytes] as const),
      ["JSON that is none", Buffer.from('{"v":1,')],
      ["JSON of something else", Buffer.from('{"a":1}')],
      ["text", Buffer.from("text")],
    ];
    for (const [what, bytes] of unreadable) {
      const prepared = prepare(messageOf(["a", "b"]), bytes, messageOf(["e"]));
      t.strictSame(
        prepared.heads.map((head) => head?.events),
        [2, undefined, 1],
        what,
      );
      t.strictSame(keysIn(prepared), ["a", "b", "e"], what);
      t.strictSame(prepared.indexes, Uint32Array.of(0, 1, 0), what);
    }
  },
);

t.test("prepare - a message of another version is neither read nor treated as damaged", async (t) => {
  const later = Buffer.from(messageOf(["a"]));
  later[0] = INGEST_VERSION + 1;
  t.throws(() => prepare(messageOf(["b"]), later), OtherVersionError);
  t.throws(() => prepare(later), /version 3, and this process reads version 2: start ingest of the version/);
  const earlier = JSON.stringify({ v: 1, reply: "reply", parts: [partOf(1)], events: [[0, "m_1", "a"]] });
  t.throws(() => prepare(Buffer.from(earlier)), OtherVersionError);
});

t.test("prepare - events that were put back are unchanged, and no caller waits for them", async (t) => {
  const first = prepare(messageOf(["a", "b"]));
  const again = prepare(messageOf(["x"]), redriveOf("a", "b"));
  t.match(again.heads[1], { reply: "", parts: [], events: 2 });
  for (const ord of [0, 1]) {
    t.strictSame(eventAt(again.events, ord + 1), { ...eventAt(first.events, ord), ord: ord + 1 });
  }
});

t.test("prepare - a row that was put back lacks a column that came later, which is null", async (t) => {
  const { rows } = JSON.parse(redriveOf("a").toString());
  const { amount: _, statementDescriptor: __, ...earlier } = rows[0];
  const prepared = prepare(Buffer.from(JSON.stringify({ v: 1, rows: [earlier] })), messageOf(["b"]));
  t.strictSame(eventAt(prepared.events, 0), { ...rows[0], amount: null, statementDescriptor: null });
  const { externalId: ___, ...unusable } = rows[0];
  for (const rows of [[unusable], [null], 5]) {
    const prepared = prepare(Buffer.from(JSON.stringify({ v: 1, rows })), messageOf(["b"]));
    t.equal(prepared.heads[0], undefined, "is a message that cannot be read, and does not stop the others");
    t.strictSame(keysIn(prepared), ["b"]);
  }
});

t.test(
  "prepare - a row that was put back with a value of another kind does not stop the others",
  async (t) => {
    const { rows } = JSON.parse(redriveOf("a").toString());
    const [row] = rows;
    for (const field of Object.keys(row).filter((name) => name !== "ord")) {
      for (const value of [5, 0.5, true, {}, [], "x", "\ud800", "2026-13-01T00:00:00.000000Z"]) {
        const data = Buffer.from(JSON.stringify({ v: 1, rows: [{ ...row, [field]: value }] }));
        const prepared = prepare(data, messageOf(["b"]));
        const read = Array.from({ length: prepared.events.count }, (_, ord) => eventAt(prepared.events, ord));
        const kept = prepared.heads[0] && { ...read[0] };
        if (kept !== undefined) t.equal(kept[field as keyof typeof kept], value, `${field} ${value}`);
        t.equal(read.at(-1)?.externalId, "b");
      }
    }
  },
);

t.test("prepare - a leap second makes an id of the second after it", async (t) => {
  const idOf = (authed_at: string) => {
    const { bytes } = packEvents([{ ...EVENT, authed_at }], [0]);
    return eventAt(prepare(packMessage({ reply: "", parts: [partOf(1)] }, [bytes])).events, 0).id;
  };
  t.equal(idOf("2016-12-31T23:59:60Z"), idOf("2017-01-01T00:00:00Z"));
});

t.test("prepare - events of one transaction know the first of them, by organisation", async (t) => {
  const other = "01980000-0000-7000-8000-000000000002";
  const events = ["a", "b", "a"].map((external_id) => ({ ...EVENT, external_id }));
  const { bytes } = packEvents(events, [0, 1, 2]);
  const parts = [partOf(2), { ...partOf(1), organisation: other }];
  const { events: batch } = prepare(packMessage({ reply: "", parts }, [bytes]), messageOf(["a"]));
  t.strictSame([...batch.firstOf], [0, 1, 2, 0]);
  t.strictSame(batch.organisations, [ORGANISATION, other]);
  t.equal(new Set(batch.members).size, 1);
  t.strictSame(batch.organisationOfMember, [0, 1], "looked up for each of them");
});
