import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import t from "tap";
import {
  applyEvent,
  type Decision,
  STATES,
  stateOf,
  type Transaction,
  type TransactionEvent,
  type TransactionState,
} from "./lifecycle.ts";
import { microsecondsOf } from "./timestamp.ts";

const AUTHED = "2026-05-01T10:00:00.000000Z";
const FIRST = "2026-05-02T10:00:00.000000Z";
const LATER = "2026-05-03T10:00:00.000000Z";

const AUTHORIZATION: TransactionEvent = Object.freeze({
  memberId: "member",
  network: "visa",
  merchantId: "MID_STORE_01",
  statementDescriptor: "COFFEE",
  amount: 450,
  currency: "EUR",
  authedAt: AUTHED,
  clearedAt: null,
  revertedAt: null,
  identifier6: "six",
  identifier8: null,
});

const KINDS = ["neither", "cleared_at", "reverted_at"] as const;
type Kind = (typeof KINDS)[number];

function eventOf(kind: Kind, at: string, fields: Partial<TransactionEvent> = {}): TransactionEvent {
  const dates = {
    clearedAt: kind === "cleared_at" ? at : null,
    revertedAt: kind === "reverted_at" ? at : null,
  };
  return Object.freeze({ ...AUTHORIZATION, ...dates, ...fields });
}

const KIND_OF: Record<TransactionState, Kind> = {
  authorized: "neither",
  cleared: "cleared_at",
  reverted: "reverted_at",
};

function storedIn(state: TransactionState, fields: Partial<Transaction> = {}): Transaction {
  return Object.freeze({ ...eventOf(KIND_OF[state], FIRST), state, firstDescriptor: null, ...fields });
}

/** The lifecycle table of the contract (section 6), cell by cell. */
const CELLS: ReadonlyArray<{
  stored: TransactionState | "nothing";
  event: Kind;
  result: "created" | "updated" | "unchanged" | "invalid_transition";
  state: TransactionState;
}> = [
  { stored: "nothing", event: "neither", result: "created", state: "authorized" },
  { stored: "nothing", event: "cleared_at", result: "created", state: "cleared" },
  { stored: "nothing", event: "reverted_at", result: "created", state: "reverted" },
  { stored: "authorized", event: "neither", result: "unchanged", state: "authorized" },
  { stored: "authorized", event: "cleared_at", result: "updated", state: "cleared" },
  { stored: "authorized", event: "reverted_at", result: "updated", state: "reverted" },
  { stored: "cleared", event: "neither", result: "unchanged", state: "cleared" },
  { stored: "cleared", event: "cleared_at", result: "unchanged", state: "cleared" },
  { stored: "cleared", event: "reverted_at", result: "invalid_transition", state: "reverted" },
  { stored: "reverted", event: "neither", result: "unchanged", state: "reverted" },
  { stored: "reverted", event: "reverted_at", result: "unchanged", state: "reverted" },
  { stored: "reverted", event: "cleared_at", result: "invalid_transition", state: "cleared" },
];

t.test("lifecycle - the table of the contract has a row for every cell", async (t) => {
  const cells = new Set(CELLS.map((cell) => `${cell.stored} × ${cell.event}`));
  for (const stored of ["nothing", ...STATES]) {
    for (const event of KINDS) t.ok(cells.has(`${stored} × ${event}`), `${stored} × ${event}`);
  }
  t.equal(cells.size, CELLS.length);
});

for (const cell of CELLS) {
  const stored = cell.stored === "nothing" ? undefined : storedIn(cell.stored);

  t.test(`lifecycle - ${cell.stored}, event has ${cell.event}: ${cell.result}`, async (t) => {
    const decision = applyEvent(stored, eventOf(cell.event, LATER));
    if (cell.result === "invalid_transition") {
      t.strictSame(decision, {
        outcome: "rejected",
        rejection: { code: "conflict", reason: "invalid_transition", from: cell.stored, to: cell.state },
      });
      return;
    }
    const dates = cell.result === "unchanged" ? stored : eventOf(cell.event, LATER);
    t.strictSame(decision, {
      outcome: cell.result,
      transaction: {
        ...AUTHORIZATION,
        state: cell.state,
        clearedAt: dates?.clearedAt,
        revertedAt: dates?.revertedAt,
        firstDescriptor: null,
      },
      // The first date stays; another one is reported as ignored.
      ignored: cell.result === "unchanged" && cell.event !== "neither" ? [cell.event] : [],
    });
  });

  if (stored === undefined) continue;
  for (const [field, identity] of [
    ["member_id", { memberId: "another member" }],
    ["card", { identifier6: "another card" }],
    ["member_id", { memberId: "another member", identifier6: "another card" }],
  ] as const) {
    const what = Object.keys(identity).join(" and ");
    t.test(
      `lifecycle - ${cell.stored}, event has ${cell.event}: another ${what} is a mismatch`,
      async (t) => {
        t.strictSame(applyEvent(stored, eventOf(cell.event, LATER, identity)), {
          outcome: "rejected",
          rejection: { code: "conflict", reason: "identity_mismatch", field },
        });
      },
    );
  }
}

/** A field that may be absent, with two values it can have. */
const OPTIONAL_FIELDS = {
  statementDescriptor: ["COFFEE", "COFFEE TIPPED"],
  amount: [0, 500],
  currency: ["EUR", "SEK"],
  identifier8: ["eight", "another eight"],
} as const;

/** Their names in the API when they are ignored. */
const NAMES = {
  statementDescriptor: "statement_descriptor",
  amount: "amount",
  currency: "currency",
  identifier8: "bin",
} as const;

for (const { stored: state, event: kind, result } of CELLS) {
  if (state === "nothing" || result === "invalid_transition") continue;
  const settles = result === "updated";

  for (const [field, [first, second]] of Object.entries(OPTIONAL_FIELDS)) {
    // The identifier over eight digits belongs to the card, not to the settlement: once known it stays.
    const replaced = settles && field !== "identifier8";
    const rows = [
      { has: null, given: null, kept: null, changes: false },
      { has: null, given: first, kept: first, changes: true },
      { has: first, given: null, kept: first, changes: false },
      { has: first, given: first, kept: first, changes: false },
      { has: first, given: second, kept: replaced ? second : first, changes: replaced },
    ];
    t.test(
      `fields - ${state}, event has ${kind}: ${field} ${replaced ? "settles" : "is filled in"}`,
      async (t) => {
        for (const { has, given, kept, changes } of rows) {
          const decision = applyEvent(
            storedIn(state, { [field]: has }),
            eventOf(kind, LATER, { [field]: given }),
          );
          const name = `${has} and ${given} make ${kept}`;
          t.equal(decision.outcome, settles || changes ? "updated" : "unchanged", name);
          t.equal(transactionOf(decision)[field as keyof Transaction], kept, name);
          const ignored = decision.outcome === "rejected" ? [] : decision.ignored;
          t.equal(
            ignored.includes(NAMES[field as keyof typeof NAMES]),
            given !== null && given !== kept,
            name,
          );
        }
      },
    );
  }

  t.test(
    `fields - ${state}, event has ${kind}: authed_at, network and merchant stay the first`,
    async (t) => {
      const event = eventOf(kind, LATER, { authedAt: LATER, network: "amex", merchantId: "mid_store_01" });
      const decision = applyEvent(storedIn(state), event);
      const { authedAt, network, merchantId } = transactionOf(decision);
      t.strictSame([authedAt, network, merchantId], [AUTHED, "visa", "MID_STORE_01"]);
      const ignored = decision.outcome === "rejected" ? [] : decision.ignored;
      t.strictSame(
        ignored.filter((name) => !name.endsWith("ed_at") || name === "authed_at"),
        ["merchant_id", "authed_at"],
        "and it is reported",
      );
    },
  );
}

t.test("regression - a transaction that lost its member could never end", async (t) => {
  for (const state of STATES) {
    for (const memberId of [AUTHORIZATION.memberId, randomUUID(), null]) {
      const event = { ...AUTHORIZATION, memberId };
      const decision = applyEvent(storedIn(state, { memberId: null }), event);
      t.match(
        decision,
        { outcome: "unchanged", transaction: { state, memberId: null } },
        "without a member for good",
      );
      const otherCard = { ...event, identifier6: "f".repeat(64) };
      t.match(applyEvent(storedIn(state, { memberId: null }), otherCard), {
        outcome: "rejected",
        rejection: { reason: "identity_mismatch", field: "card" },
      });
    }
  }
  const lost = storedIn("authorized", { memberId: null });
  t.match(applyEvent(lost, { ...AUTHORIZATION, memberId: randomUUID(), revertedAt: LATER }), {
    outcome: "updated",
    transaction: { state: "reverted", memberId: null },
  });
});

t.test("lifecycle - the state of an event is the state its dates ask for", async (t) => {
  t.equal(stateOf({ clearedAt: null, revertedAt: null }), "authorized");
  t.equal(stateOf({ clearedAt: FIRST, revertedAt: null }), "cleared");
  t.equal(stateOf({ clearedAt: null, revertedAt: FIRST }), "reverted");
});

const anyEvent: fc.Arbitrary<TransactionEvent> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    at: fc.constantFrom(FIRST, LATER),
    memberId: fc.constantFrom("member", "member", "member", "another"),
    identifier6: fc.constantFrom("six", "six", "six", "another"),
    identifier8: fc.constantFrom(null, "eight", "another eight"),
    statementDescriptor: fc.constantFrom(null, "COFFEE", "COFFEE TIPPED"),
    amount: fc.constantFrom(null, 0, 450, Number.MAX_SAFE_INTEGER),
    currency: fc.constantFrom(null, "EUR", "SEK"),
  })
  .map(({ kind, at, ...fields }) => eventOf(kind, at, fields));

/** The result of a history of events; rejected ones change nothing. */
function fold(events: readonly TransactionEvent[]): Transaction | undefined {
  return events.reduce<Transaction | undefined>((stored, event) => {
    const decision = applyEvent(stored, event);
    return decision.outcome === "rejected" ? stored : Object.freeze(decision.transaction);
  }, undefined);
}

t.test("lifecycle - the same event again changes nothing, after any history", async () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 6 }), anyEvent, (history, event) => {
      const first = applyEvent(fold(history), event);
      if (first.outcome === "rejected") return;
      const second = applyEvent(Object.freeze(first.transaction), event);
      // Ignored fields are reported each time.
      const { transaction, ignored } = first;
      assert.deepEqual(second, { outcome: "unchanged", transaction, ignored });
    }),
    { numRuns: 300 },
  );
});

t.test("lifecycle - an event that comes again after later ones changes nothing", async () => {
  // A request that is sent again after later events, or a dead letter that is put back.
  const someEvents = fc.array(anyEvent, { maxLength: 5 });
  fc.assert(
    fc.property(someEvents, anyEvent, someEvents, (before, event, later) => {
      const once = fold([...before, event, ...later]);
      assert.deepEqual(fold([...before, event, ...later, event]), once);
    }),
    { numRuns: 2_000 },
  );
});

t.test(
  "lifecycle - the first descriptor is that of the first event with one, however events are cut",
  async () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), (history) => {
        const taken = history.filter(
          (event, i) => applyEvent(fold(history.slice(0, i)), event).outcome !== "rejected",
        );
        const first = taken.find(({ statementDescriptor }) => statementDescriptor !== null);
        const { statementDescriptor, firstDescriptor } = fold(history) as Transaction;
        assert.equal(firstDescriptor ?? statementDescriptor, first?.statementDescriptor ?? null);
        assert.notEqual(firstDescriptor ?? undefined, statementDescriptor, "two that are equal are one");
      }),
      { numRuns: 1_000 },
    );
  },
);

t.test("lifecycle - after any history a final state stays, and known values are not lost", async () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), anyEvent, (history, event) => {
      const before = fold(history) as Transaction;
      const after = fold([...history, event]) as Transaction;
      if (before.state !== "authorized") {
        assert.deepEqual(
          [after.state, after.clearedAt, after.revertedAt],
          [before.state, before.clearedAt, before.revertedAt],
        );
      }
      assert.deepEqual([after.memberId, after.identifier6], [before.memberId, before.identifier6]);
      for (const field of Object.keys(OPTIONAL_FIELDS) as (keyof typeof OPTIONAL_FIELDS)[]) {
        if (before[field] !== null) assert.notEqual(after[field], null, field);
      }
      assert.equal(stateOf(after), after.state, "the dates and the state say the same");
    }),
    { numRuns: 300 },
  );
});

function transactionOf(decision: Decision): Transaction {
  if (decision.outcome === "rejected") throw new Error(`rejected: ${decision.rejection.reason}`);
  return decision.transaction;
}

t.test(
  "lifecycle - an event of a transaction that is not stored is refused only if authorized before the limit",
  async (t) => {
    const limit = microsecondsOf(AUTHED);
    const refused = {
      outcome: "rejected",
      rejection: { code: "conflict", reason: "past_retention" },
    } as const;
    for (const kind of KINDS) {
      const event = eventOf(kind, FIRST);
      t.strictSame(applyEvent(undefined, event, limit + 1), refused);
      t.match(applyEvent(undefined, event, limit), { outcome: "created" });
      t.match(applyEvent(undefined, event, null), { outcome: "created" });
      for (const state of STATES) {
        const stored = storedIn(state);
        t.strictSame(applyEvent(stored, event, limit + 1), applyEvent(stored, event), `${state}, ${kind}`);
      }
    }
  },
);
