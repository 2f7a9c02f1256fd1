import t from "tap";
import type { TransactionEvent } from "#contract";
import type { Outcome } from "./model.ts";
import type { DemoRequest } from "./plan-requests.ts";
import { Tally } from "./tally.ts";

const event = (external_id: string): TransactionEvent => ({
  member_id: "m_1",
  external_id,
  auth_code: "A1",
  network: "visa",
  bin: "411111",
  merchant_id: "M1",
  authed_at: "2026-01-01T00:00:00Z",
});
const outcomeOf = new Map<TransactionEvent, Outcome>();
const ingest = (...outcomes: Outcome[]): DemoRequest => {
  const events = outcomes.map((_, i) => event(`tx-${i}`));
  for (const [i, sent] of events.entries()) outcomeOf.set(sent, outcomes[i] as Outcome);
  return { kind: "ingest", events, respondAsync: false };
};
const malformed: DemoRequest = {
  kind: "malformed",
  malformed: "no bin",
  path: "/events/0/bin",
  events: [event("bad")],
};
const processed = (created: number, updated: number, unchanged: number) => ({
  kind: "result" as const,
  result: {
    status: "processed" as const,
    accepted: created + updated + unchanged,
    created,
    updated,
    unchanged,
  },
});
const refusal = (index: number, reason: string) => ({
  index,
  external_id: `tx-${index}`,
  code: "conflict" as const,
  reason,
});
const rejected = (accepted: number, ...refusals: ReturnType<typeof refusal>[]) => ({
  kind: "result" as const,
  result: { status: "rejected" as const, accepted, rejected: refusals, trace_id: "0af7" },
});

const agreeing: ReadonlyArray<[string, DemoRequest, Parameters<Tally["add"]>[1]]> = [
  ["processed", ingest("created", "unchanged"), processed(1, 0, 1)],
  ["rejected", ingest("created", "invalid_transition"), rejected(1, refusal(1, "invalid_transition"))],
  [
    "accepted",
    ingest("created", "not_found"),
    { kind: "result", result: { status: "accepted", accepted: 2, batch_id: "batch_1" } },
  ],
  ["malformed", malformed, { kind: "bad_request", path: "/events/0/bin" }],
];
for (const [name, request, ending] of agreeing) {
  t.test(`tally - ${name} as the model says: nothing differs`, async (t) => {
    const tally = new Tally(outcomeOf);
    tally.add(request, ending, false);
    t.strictSame(tally.disagreements, []);
    for (const [count, pair] of Object.entries(tally.counts)) t.equal(pair.actual, pair.expected, count);
  });
}

const parting: ReadonlyArray<[string, DemoRequest, Parameters<Tally["add"]>[1]]> = [
  ["a transaction was created twice", ingest("created", "unchanged"), processed(2, 0, 0)],
  ["a refusal did not come", ingest("created", "invalid_transition"), processed(1, 0, 1)],
  [
    "an event was refused that should not be",
    ingest("created"),
    rejected(0, refusal(0, "invalid_transition")),
  ],
  ["the reason is another", ingest("identity_mismatch"), rejected(0, refusal(0, "invalid_transition"))],
  ["another event was refused", ingest("created", "not_found"), rejected(1, refusal(0, "not_found"))],
  ["a malformed request was taken", malformed, processed(1, 0, 0)],
  [
    "a malformed request was refused elsewhere",
    malformed,
    { kind: "bad_request", path: "/events/0/network" },
  ],
  ["a sound request was refused as malformed", ingest("created"), { kind: "bad_request", path: "/events/0" }],
];
for (const [name, request, ending] of parting) {
  t.test(`tally - ${name}: it is named`, async (t) => {
    const tally = new Tally(outcomeOf);
    tally.add(request, ending, false);
    t.not(tally.disagreements.length, 0);
  });
}

t.test("tally - a request repeated after a lost connection is left to the read-back", async (t) => {
  const tally = new Tally(outcomeOf);
  tally.add(ingest("created"), processed(0, 0, 1), true);
  t.strictSame(tally.disagreements, []);
  t.strictSame(tally.counts.later, { expected: 1, actual: 1 });
});
