import fc from "fast-check";
import t from "tap";
import type { EventOutcome } from "#domain";
import { decodeUnreported, encodeOutcomes, type MessageOutcomes } from "./unreported.ts";

const outcome: fc.Arbitrary<EventOutcome> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("created", "updated", "unchanged"),
    ignored: fc.subarray(["amount", "currency", "authed_at"] as const),
  }),
  fc.constantFrom<EventOutcome>(
    { kind: "rejected", rejection: { code: "not_found", reason: "not_found" } },
    { kind: "rejected", rejection: { code: "conflict", reason: "identity_mismatch", field: "card" } },
    {
      kind: "rejected",
      rejection: { code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
    },
  ),
);

t.test("unreported - what is written down of messages is what is read", async (t) => {
  const message = fc.array(fc.option(outcome, { nil: undefined, freq: 10 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const known = new Map<number, MessageOutcomes>();
      for (const [i, outcomes] of messages.entries()) {
        const refused = new Map<number, string>();
        for (const [at, one] of outcomes.entries()) if (one === undefined) refused.set(at, "23514");
        known.set(i + 7, { outcomes, refused });
      }
      const json = `[${[...known].map(([sequence, one]) => encodeOutcomes(sequence, one)).join(",")}]`;
      t.same(decodeUnreported(json), known);
    }),
  );
});

t.test("unreported - a message of new transactions takes few bytes", async (t) => {
  const outcomes = new Array<EventOutcome>(1000).fill({ kind: "created", ignored: [] });
  t.equal(encodeOutcomes(12_345, { outcomes, refused: new Map() }), '[12345,"1000c"]');
});
