import t from "tap";
import { Check } from "typebox/value";
import { uuidv7 } from "uuidv7";
import { WebhookEvent } from "#contract";
import { encodeId, type Rejection } from "#domain";
import type { Store } from "#postgres";
import { composeRejections, type ToldRejection } from "./tell-rejections.ts";

const NOW = new Date("2026-05-01T10:00:00.123Z");

function rejected(
  externalId: string,
  rejection: Rejection,
  of: { organisationId: string; batchId: string },
): ToldRejection {
  return { ...of, externalId, rejection, memberId: null, index: externalId.length, awaited: false };
}

/** Answers the only query with these ids. */
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
    const [one, other] = [1, 2].map(() => ({ organisationId: uuidv7(), batchId: uuidv7() })) as [Of, Of];
    const all = [
      rejected('ref "é"', { code: "not_found", reason: "not_found" }, one),
      rejected("b", { code: "conflict", reason: "identity_mismatch", field: "card" }, other),
      rejected(
        "cc",
        { code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
        other,
      ),
    ];
    const compose = () => composeRejections(storeOf([null, transactionId, null]), all, NOW);
    const events = await compose();
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
          organisationId: one.organisationId,
          body: {
            transaction_ref: 'ref "é"',
            code: "not_found",
            reason: "not_found",
            batch_id: encodeId("batch", one.batchId),
          },
        },
        { organisationId: other.organisationId, body: { transaction_id: encodeId("tx", transactionId) } },
        { body: { transaction_ref: "cc", code: "conflict", reason: "invalid_transition" } },
      ],
    );
    t.strictSame(
      events.map(({ body }) => "transaction_id" in JSON.parse(body)),
      [false, true, false],
    );
    t.equal(events[1]?.transactionId, transactionId);
    t.strictSame(await compose(), events, "applied again, they are the same");
    t.equal(new Set(events.map(({ id }) => id)).size, 3);
  },
);

interface Of {
  readonly organisationId: string;
  readonly batchId: string;
}

t.test("rejections - where there are none the database is not asked", async (t) => {
  t.strictSame(await composeRejections(noStore, [], NOW), []);
});
