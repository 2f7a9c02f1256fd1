import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import type { TransactionEvent } from "#contract";
import { applyEvent, type TransactionEvent as DomainEvent, type Transaction } from "#domain";
import { type Expected, fold } from "./lifecycle.ts";

const DATES = ["2026-03-01T10:00:00.000Z", "2026-03-02T10:00:00.000Z", undefined] as const;

const events: fc.Arbitrary<TransactionEvent> = fc
  .record({
    member: fc.constantFrom("m_a", "m_a", "m_a", "m_b"),
    auth_code: fc.constantFrom("A1", "A1", "A1", "A2"),
    bin: fc.constantFrom("411111", "41111122"),
    amount: fc.option(fc.constantFrom(1, 2, 3), { nil: undefined }),
    descriptor: fc.option(fc.constantFrom("SHOP", "STORE"), { nil: undefined }),
    cleared: fc.constantFrom(...DATES),
    reverted: fc.constantFrom(...DATES),
  })
  .map(({ member, auth_code, bin, amount, descriptor, cleared, reverted }) => ({
    member_id: member,
    external_id: "T",
    auth_code,
    network: "visa",
    bin,
    merchant_id: "MID",
    authed_at: DATES[0],
    ...(descriptor !== undefined && { statement_descriptor: descriptor }),
    ...(amount !== undefined && { amount, currency: "EUR" }),
    ...(cleared !== undefined && { cleared_at: cleared }),
    // Both dates are malformed.
    ...(cleared === undefined && reverted !== undefined && { reverted_at: reverted }),
  }));

/** Two implementations by different authors: where they differ, one of them has misread the contract. */
t.test("soak's own lifecycle - agrees with the domain's, event after event", async (t) => {
  fc.assert(
    fc.property(fc.array(events, { minLength: 1, maxLength: 8 }), (list) => {
      let own: Expected | undefined;
      let theirs: Transaction | undefined;
      for (const event of list) {
        const folded = fold(own, event);
        const decided = applyEvent(theirs, toDomain(event));
        deepEqual(folded.outcome, decided.outcome);
        if (folded.outcome !== "rejected") own = folded.next;
        else if (decided.outcome === "rejected") deepEqual(folded.reason, decided.rejection.reason);
        if (decided.outcome !== "rejected") theirs = decided.transaction;
        deepEqual(
          [own?.state, own?.amount, own?.descriptor, own?.clearedAt, own?.revertedAt, own?.eight],
          [
            theirs?.state,
            theirs?.amount,
            theirs?.statementDescriptor,
            theirs?.clearedAt,
            theirs?.revertedAt,
            theirs?.identifier8,
          ],
        );
      }
    }),
    { numRuns: 500 },
  );
  t.pass("500 lists of events");
});

t.test("soak's own lifecycle - for a purchase of a deleted member only the card is compared", async (t) => {
  const [event] = fc.sample(events, { seed: 1, numRuns: 1 }) as [TransactionEvent];
  const stored = fold(undefined, event);
  if (stored.outcome === "rejected") throw new Error("it is new");
  const other = { ...event, member_id: "m_other" };
  t.match(fold(stored.next, other), { outcome: "rejected", reason: "identity_mismatch" });
  t.match(fold(stored.next, other, true), { outcome: "unchanged" });
  t.match(fold(stored.next, { ...other, auth_code: "A9" }, true), { reason: "identity_mismatch" });
});

t.test("soak's own lifecycle - fields that a known transaction ignores are reported", async (t) => {
  const first = { ...(fc.sample(events, { seed: 1, numRuns: 1 })[0] as TransactionEvent) };
  const authorized = {
    ...first,
    amount: 1,
    currency: "EUR",
    cleared_at: undefined,
    reverted_at: undefined,
  } as never;
  const stored = fold(undefined, authorized);
  if (stored.outcome === "rejected") throw new Error("it is new");
  t.match(fold(stored.next, { ...(authorized as TransactionEvent), amount: 2 }), {
    outcome: "unchanged",
    ignored: ["amount"],
  });
});

function toDomain(event: TransactionEvent): DomainEvent {
  return {
    memberId: event.member_id,
    network: event.network,
    merchantId: event.merchant_id,
    statementDescriptor: event.statement_descriptor ?? null,
    amount: event.amount ?? null,
    currency: event.currency ?? null,
    authedAt: event.authed_at,
    clearedAt: event.cleared_at ?? null,
    revertedAt: event.reverted_at ?? null,
    ...identifiersOf(event),
  };
}

function identifiersOf(event: TransactionEvent): { identifier6: string; identifier8: string | null } {
  const folded = fold(undefined, event);
  if (folded.outcome === "rejected") throw new Error("a new one is never rejected");
  return { identifier6: folded.next.six, identifier8: folded.next.eight };
}
