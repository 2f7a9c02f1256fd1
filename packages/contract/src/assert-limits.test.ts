import t from "tap";
import { assertLimits } from "./assert-limits.ts";
import { LIMITS } from "./limits.ts";

const changed = (changes: Partial<Record<keyof typeof LIMITS, number>>) =>
  ({ ...LIMITS, ...changes }) as typeof LIMITS;

t.test("limits - the ones in force do not contradict each other", async (t) => {
  t.doesNotThrow(() => assertLimits());
});

t.test("limits - the observable limits are those of the contract", async (t) => {
  t.match(LIMITS, {
    bodyBytes: 8 * 1024 * 1024,
    headerBlockBytes: 8 * 1024,
    eventsPerRequest: 5000,
    membersPerRequest: 5000,
    attributesPerMember: 64,
    refLength: 256,
    pageLimitMax: 1000,
    pageLimitDefault: 500,
    pageSkipMax: 100_000,
    filterDepth: 5,
    filterLeaves: 100,
    filterValues: 1000,
    outcomeWaitMs: 5000,
    idempotencyKeyKeptMs: 24 * 60 * 60 * 1000,
    idempotencyKeyLength: 255,
  });
});

const CONTRADICTIONS: ReadonlyArray<[changes: Parameters<typeof changed>[0], rule: string]> = [
  [
    { bufferedBodyBytes: 4 * LIMITS.bodyBytes - 1 },
    "bufferedBodyBytes must leave room for a full body next to a sender that holds its share, half of it",
  ],
  [
    { slowedLookUps: LIMITS.tokenLookUps },
    "look-ups of slowed addresses must leave room for those of others under tokenLookUps",
  ],
  [{ bodyDepth: 2 * LIMITS.filterDepth + 2 }, "a filter of filterDepth must fit under bodyDepth"],
  [{ messagesHeld: 0 }, "messagesHeld must let one partition fill a batch"],
  [{ messageBytes: LIMITS.messageBytesMax }, "messageBytes must stay below messageBytesMax"],
  [{ eventsPerMessage: LIMITS.rowsPerBatch + 1 }, "one message must fit into one batch"],
  [
    { unansweredEvents: 2 * LIMITS.eventsPerRequest - 1 },
    "two full requests must fit under unansweredEvents",
  ],
  [
    { aheadMs: LIMITS.outcomeWaitMs / 2 },
    "a request must leave for the stream long before its answer is due",
  ],
  [
    { eventsAhead: 2 * LIMITS.eventsPerMessage - 1 },
    "an organisation must have a full message in the stream while it gathers the next",
  ],
  [{ migrationLockMs: LIMITS.drainMs }, "a migration must not hold up an ingest until its answer is due"],
  [
    { statementTimeoutMs: LIMITS.requestDrainMs / 2 },
    "a draining process must outlive the answers it still owes",
  ],
  [
    { drainMs: LIMITS.requestDrainMs + 4_999 },
    "drainMs must leave time after the last answer to close connections",
  ],
  [
    { deliveryDrainMs: LIMITS.requestDrainMs },
    "a drain must not wait longer for deliveries than for requests",
  ],
  [{ drainQuietMs: LIMITS.keepAliveIdleMs }, "drainQuietMs must stay below the idle time-out and the drain"],
  [{ webhookTestMs: LIMITS.deliveryAttemptMs }, "webhookTestMs must exceed deliveryAttemptMs"],
];

for (const [changes, rule] of CONTRADICTIONS) {
  t.test(`limits - ${rule}`, async (t) => {
    t.throws(() => assertLimits(changed(changes)), { message: `contradicting limits: ${rule}` });
  });
}

t.test("limits - all contradictions are named together", async (t) => {
  const all = changed(Object.assign({}, ...CONTRADICTIONS.map(([changes]) => changes)));
  const rules = CONTRADICTIONS.map(([, rule]) => rule).join("; ");
  t.throws(() => assertLimits(all), { message: `contradicting limits: ${rules}` });
});
