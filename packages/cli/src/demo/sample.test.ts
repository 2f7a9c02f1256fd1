import { hash } from "node:crypto";
import t from "tap";
import { describeViolation, type SchemaViolation, VALIDATORS } from "#contract/validation";
import { countOutcomes, modelEvents } from "./model.ts";
import { eventsOf, malformedOf, resolveSample } from "./prepare-run.ts";
import { generateSample, isMalformed } from "./sample.ts";

const START = Date.UTC(2026, 0, 5, 6);
const sample = generateSample(START);
const memberIds = new Map(sample.refs.map((ref) => [ref, `m_${ref}`]));
const entries = resolveSample(sample, "test", memberIds);
const events = eventsOf(entries);
const validate = VALIDATORS["transaction/ingest"] as {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
};

t.test("sample - is the same as ever, so that a run of before can be sent again", async (t) => {
  t.equal(
    hash("sha256", JSON.stringify(generateSample(START))),
    "ac938795460c69967f7fe4c2b8968102473df774730efa68482edd4e9e88b2cb",
  );
});

t.test("sample - 10,000 events of 1,000 members", async (t) => {
  t.equal(events.length + malformedOf(entries).length, 10_000);
  t.equal(sample.refs.length, 1000);
});

t.test("sample - every event that is meant to be well-formed passes the contract's validator", async (t) => {
  t.ok(validate({ events: events.slice(0, 5000) }));
  t.ok(validate({ events: events.slice(5000) }));
});

t.test("sample - every malformed request is refused for the reason it says", async (t) => {
  for (const entry of entries) {
    if (entry.kind !== "malformed") continue;
    t.notOk(validate({ events: entry.events }), entry.malformed);
    t.equal(describeViolation(validate.errors?.at(-1) as SchemaViolation).path, entry.path, entry.malformed);
    const [before, , after] = entry.events;
    t.ok(validate({ events: [before, after] }), `${entry.malformed}: its neighbours are well-formed`);
  }
});

t.test("sample - the ids of malformed requests are used nowhere else", async (t) => {
  const used = new Set(events.map((event) => event.external_id));
  const malformed = sample.entries.filter(isMalformed).flatMap((entry) => entry.events);
  t.equal(malformed.length, 54);
  t.notOk(malformed.some((event) => used.has(`demo-test-${event.external_id}`)));
});

t.test("sample - has every outcome of the lifecycle in it", async (t) => {
  const { outcomes, transactions } = modelEvents(events, new Set(memberIds.values()));
  const counts = countOutcomes(outcomes.values());
  t.equal(counts.created, transactions.size);
  t.ok(counts.created > 5000 && counts.updated > 2500 && counts.unchanged > 500, "the common ones");
  t.ok(counts.invalid_transition > 50, "forbidden transitions");
  t.ok(counts.identity_mismatch > 20, "other members and other cards");
  t.ok(counts.not_found > 10, "unknown members");
});

t.test(
  "model - sent a second time, nothing is created or updated and the same events are refused",
  async (t) => {
    const known = new Set(memberIds.values());
    const first = modelEvents(events, known);
    const second = modelEvents(events, known, first.transactions);
    t.strictSame(second.transactions, first.transactions);
    const was = countOutcomes(first.outcomes.values());
    const now = countOutcomes(second.outcomes.values());
    // Of an unknown member's event the transaction is stored by now, so it differs in the member.
    const toldOtherwise = was.not_found - now.not_found;
    t.ok(toldOtherwise > 0);
    t.strictSame(now, {
      ...was,
      created: 0,
      updated: 0,
      unchanged: was.created + was.updated + was.unchanged,
      not_found: was.not_found - toldOtherwise,
      identity_mismatch: was.identity_mismatch + toldOtherwise,
    });
  },
);

t.test("model - a run that was cut off ends where a whole one does", async (t) => {
  const known = new Set(memberIds.values());
  const half = modelEvents(events.slice(0, 5000), known);
  t.strictSame(
    modelEvents(events, known, half.transactions).transactions,
    modelEvents(events, known).transactions,
  );
});
