import { randomUUID } from "node:crypto";
import { FLOW } from "#contract";
import type { DeadLetter } from "#contract/ingest";

let last = 0;

/** Letters of one message count as one letter, so each letter has another message. */
export const nextSequence = (): number => ++last;

/** The letter of an event that the database refuses. */
export function poison(organisationId: string): DeadLetter {
  const sequence = nextSequence();
  return {
    reason: "poison_event",
    hop: FLOW.ingest.stream,
    partition: 0,
    sequence,
    error: "23514",
    row: {
      ord: 0,
      id: randomUUID(),
      organisationId,
      externalId: `order-${sequence}`,
      memberId: null,
      network: "visa",
      merchantId: "M-1",
      statementDescriptor: "card 4111 1111 1111 1111",
      amount: 450,
      currency: "EUR",
      authedAt: "2026-03-01T10:00:00.000000Z",
      clearedAt: null,
      revertedAt: null,
      state: "authorized",
      identifier6: "ab".repeat(32),
      identifier8: null,
      firstDescriptor: null,
    },
  };
}
