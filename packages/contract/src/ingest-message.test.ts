import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { type IngestPart, type PackedEvent, packEvent, packMessage } from "./ingest-message.ts";
import type { TransactionEvent } from "./schemas/transaction.ts";

const EVENT: TransactionEvent = {
  member_id: "m_01jt7a8pvcfnp9z85hr79f9z86",
  external_id: "order-1",
  auth_code: "AUTH123",
  network: "visa",
  bin: "411111",
  merchant_id: "MID_STORE_01",
  authed_at: "2026-05-01T10:00:00Z",
};

t.test("ingest message - every field has its place, absent ones are null", async (t) => {
  const { member_id, external_id, auth_code, network, bin, merchant_id, authed_at } = EVENT;
  const least = [member_id, external_id, auth_code, network, bin, merchant_id, null, null, null, authed_at];
  t.strictSame(JSON.parse(packEvent(7, EVENT)), [7, ...least, null, null]);
  const event = { ...EVENT, statement_descriptor: "COFFEE", amount: 0, currency: "EUR" };
  const most = [member_id, external_id, auth_code, network, bin, merchant_id, "COFFEE", 0, "EUR", authed_at];
  t.strictSame(JSON.parse(packEvent(0, { ...event, cleared_at: "c" })), [0, ...most, "c", null]);
  t.strictSame(JSON.parse(packEvent(0, { ...event, reverted_at: "r" })), [0, ...most, null, "r"]);
});

t.test("ingest message - a message without events is one too", async (t) => {
  t.strictSame(JSON.parse(packMessage("reply.1", [], [])), { v: 1, reply: "reply.1", parts: [], events: [] });
});

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const events: fc.Arbitrary<TransactionEvent> = fc.record(
  {
    member_id: text,
    external_id: text,
    auth_code: text,
    network: fc.constantFrom("visa", "other"),
    bin: fc.stringMatching(/^[0-9]{6,8}$/),
    merchant_id: text,
    statement_descriptor: text,
    amount: fc.maxSafeNat(),
    currency: fc.constantFrom("EUR", "SEK"),
    authed_at: text,
    cleared_at: text,
    reverted_at: text,
  },
  {
    requiredKeys: ["member_id", "external_id", "auth_code", "network", "bin", "merchant_id", "authed_at"],
  },
);
/** The fields of `PackedEvent`, by name. */
function inOrder(event: TransactionEvent, index: number): PackedEvent {
  return [
    index,
    event.member_id,
    event.external_id,
    event.auth_code,
    event.network,
    event.bin,
    event.merchant_id,
    event.statement_descriptor ?? null,
    event.amount ?? null,
    event.currency ?? null,
    event.authed_at,
    event.cleared_at ?? null,
    event.reverted_at ?? null,
  ];
}

const parts: fc.Arbitrary<IngestPart> = fc.record(
  {
    batch: fc.uuid(),
    organisation: fc.uuid(),
    awaited: fc.boolean(),
    batchEvents: fc.nat(),
    events: fc.nat(),
  },
  { noNullPrototype: true },
);

t.test("ingest message - what is packed is read back, whatever characters it holds", async () => {
  fc.assert(
    fc.property(text, fc.array(parts), fc.array(events), (reply, parts, events) => {
      const packed = packMessage(
        reply,
        parts,
        events.map((event, index) => packEvent(index, event)),
      );
      assert.deepEqual(JSON.parse(packed), { v: 1, reply, parts, events: events.map(inOrder) });
    }),
    { numRuns: 100 },
  );
});
