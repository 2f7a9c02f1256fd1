import t from "tap";
import { RecordPacker } from "#contract/codec";
import type { EventResult } from "#domain";
import { toEventBatch } from "./event-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { collectReplies } from "./report.ts";

const done = (kind: "created" | "updated" | "unchanged"): EventResult => ({ kind, ignored: [] });
const REJECTED: EventResult = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "not_found" },
};

/** A message whose parts have these numbers of events. */
function batchOf(...parts: readonly (readonly [events: number, detailed: boolean])[]): PreparedBatch {
  const total = parts.reduce((sum, [events]) => sum + events, 0);
  const events = Array.from({ length: total }, (_, ord) => ({
    ord,
    id: "01980000-0000-7000-8000-000000000001",
    organisationId: "01980000-0000-7000-8000-000000000002",
    externalId: `e${ord}`,
    memberId: null,
    state: "authorized" as const,
    network: "visa",
    merchantId: "M1",
    statementDescriptor: null,
    amount: null,
    currency: null,
    authedAt: "2026-05-01T10:00:00.000000Z",
    clearedAt: null,
    revertedAt: null,
    identifier6: "00".repeat(32),
    identifier8: null,
    firstDescriptor: null,
  }));
  const heads = [
    {
      reply: "reply",
      events: total,
      parts: parts.map(([events, detailed], n) => ({
        batch: `b${n}`,
        organisation: "o",
        awaited: true,
        events,
        ...(detailed && { detailed }),
      })),
    },
  ];
  const indexes = Uint32Array.from(events, (_, ord) => ord);
  return { heads, indexes, events: toEventBatch(events), records: new RecordPacker(0).packed() };
}

t.test("report - letters are made of the parts that ask for them, and of no other", async (t) => {
  const outcomes = [done("created"), REJECTED, done("updated"), done("unchanged"), done("created")];
  const [reply] = collectReplies(batchOf([2, true], [2, false], [1, true]), outcomes);
  t.strictSame(
    reply?.parts.map((part) => part.outcomes),
    ["cr", undefined, "c"],
  );
  t.notMatch(JSON.stringify(reply?.parts[1]), /outcomes/, "and they take no byte");
  t.match(reply?.parts[0], { created: 1, rejected: [{ index: 1, externalId: "e1", reason: "not_found" }] });
});

t.test(
  "report - a part with a dead letter has no letters: its request stays without an outcome",
  async (t) => {
    const [reply] = collectReplies(batchOf([3, true]), [done("created"), undefined, done("updated")]);
    t.match(reply?.parts, [{ created: 1, updated: 1, outcomes: undefined }]);
  },
);

t.test("report - a part that asks for each event's outcome gets all ignored fields", async (t) => {
  const outcomes = Array.from(
    { length: 300 },
    (): EventResult => ({ kind: "unchanged", ignored: ["amount"] }),
  );
  const prepared = batchOf([150, true], [150, false]);
  const replies = collectReplies(prepared, outcomes);
  t.strictSame(
    replies[0]?.parts.map(({ ignored, ignoredCount }) => [ignored.length, ignoredCount]),
    [
      [150, 150],
      [100, 150],
    ],
  );
});
