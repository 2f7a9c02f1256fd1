import t from "tap";
import { Check } from "typebox/value";
import { uuidv7 } from "uuidv7";
import { WebhookEvent } from "#contract";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import type { LatePart } from "./report.ts";
import { tellRejections } from "./tell-rejections.ts";

const NOW = new Date("2026-05-01T10:00:00.123Z");

function latePart(rejected: LatePart["rejected"]): LatePart {
  return {
    batchId: uuidv7(),
    organisationId: uuidv7(),
    firstEvent: 0,
    batchEvents: 10,
    partEvents: 10,
    rejected,
    ignored: [],
    ignoredCount: 0,
  };
}

/** Answers the one look-up with these ids. */
const storeOf = (ids: readonly (string | null)[]) =>
  (async () =>
    ids.map((id) => ({ id, authedAt: null, clearedAt: null, revertedAt: null }))) as unknown as Store;
const noStore = (() => {
  throw new Error("asked for nothing");
}) as unknown as Store;

t.test(
  "rejections - each is an event of the contract, with the transaction where one is stored",
  async (t) => {
    const transactionId = uuidv7();
    const parts = [
      latePart([{ index: 3, external_id: 'ref "é"', code: "not_found", reason: "not_found" }]),
      latePart([]),
      latePart([
        { index: 0, external_id: "b", code: "conflict", reason: "identity_mismatch", field: "card" },
        {
          index: 1,
          external_id: "c",
          code: "conflict",
          reason: "invalid_transition",
          from: "cleared",
          to: "reverted",
        },
      ]),
    ];
    const told = await tellRejections(storeOf([null, transactionId, null]), parts, NOW);
    const events = told.flatMap((part) => part.events);
    t.strictSame(
      told.map((part) => part.events.length),
      [1, 0, 2],
    );
    for (const event of events) {
      const body = JSON.parse(event.body);
      t.ok(Check(WebhookEvent, { ...body, member_id: null, member_ref: null }), event.body);
      t.match(body, {
        event_id: encodeId("evt", event.id),
        type: event.type,
        timestamp: "2026-05-01T10:00:00.123Z",
      });
    }
    t.match(
      events.map(({ organisationId, body }) => ({ organisationId, body: JSON.parse(body) })),
      [
        {
          organisationId: parts[0]?.organisationId,
          body: {
            transaction_ref: 'ref "é"',
            code: "not_found",
            reason: "not_found",
            batch_id: encodeId("batch", parts[0]?.batchId as string),
          },
        },
        { organisationId: parts[2]?.organisationId, body: { transaction_id: encodeId("tx", transactionId) } },
        { body: { transaction_ref: "c", code: "conflict", reason: "invalid_transition" } },
      ],
    );
    t.strictSame(
      events.map(({ body }) => "transaction_id" in JSON.parse(body)),
      [false, true, false],
    );
    t.equal(events[1]?.transactionId, transactionId);
  },
);

t.test("rejections - where there are none the database is not asked", async (t) => {
  t.strictSame(await tellRejections(noStore, [], NOW), []);
  const part = latePart([]);
  t.strictSame(await tellRejections(noStore, [part], NOW), [{ ...part, events: [] }]);
});
