import t from "tap";
import { readOutcomes } from "./read-answer.ts";

const processed = (counts: object) => ({ status: "processed", ...counts });
const names = (outcomes: readonly { outcome: string }[]) => outcomes.map(({ outcome }) => outcome);

t.test("answer - a letter for each event", async (t) => {
  const answer = processed({ accepted: 3, created: 1, updated: 1, unchanged: 1, outcomes: "cun" });
  t.strictSame(names(readOutcomes(answer, 3)), ["created", "updated", "unchanged"]);
});

t.test("answer - rejected events by their index, with everything that the answer says of them", async (t) => {
  const rejected = [
    {
      index: 1,
      external_id: "b",
      code: "conflict",
      reason: "invalid_transition",
      from: "cleared",
      to: "reverted",
    },
    { index: 3, external_id: "d", code: "not_found", reason: "not_found" },
  ];
  t.strictSame(readOutcomes({ accepted: 2, rejected, outcomes: "crnr" }, 4), [
    { outcome: "created" },
    { outcome: "rejected", code: "conflict", reason: "invalid_transition", from: "cleared", to: "reverted" },
    { outcome: "unchanged" },
    { outcome: "rejected", code: "not_found", reason: "not_found" },
  ]);
});

t.test("answer - the ignored fields of an event come with its outcome", async (t) => {
  const ignored = [
    { index: 0, external_id: "a", fields: ["amount"] },
    { index: 2, external_id: "c", fields: ["currency", "merchant_id"] },
  ];
  const counts = { accepted: 3, created: 0, updated: 1, unchanged: 2 };
  t.strictSame(readOutcomes({ ...processed(counts), outcomes: "nnu", ignored }, 3), [
    { outcome: "unchanged", ignored: ["amount"] },
    { outcome: "unchanged" },
    { outcome: "updated", ignored: ["currency", "merchant_id"] },
  ]);
  const beyond = [{ index: 3, external_id: "d", fields: ["amount"] }];
  t.throws(() => readOutcomes({ ...processed(counts), outcomes: "nnu", ignored: beyond }, 3), {
    code: "unexpected_answer",
  });
});

t.test("answer - 202 accepts every event in one batch", async (t) => {
  const outcome = { outcome: "accepted", batch_id: "batch_7" };
  t.strictSame(readOutcomes({ status: "accepted", batch_id: "batch_7", accepted: 2 }, 2), [outcome, outcome]);
});

t.test("answer - without letters the counts say what they can", async (t) => {
  const all = (counts: object) =>
    readOutcomes(processed({ accepted: 2, created: 0, updated: 0, unchanged: 0, ...counts }), 2);
  t.strictSame(names(all({ created: 2 })), ["created", "created"]);
  t.strictSame(names(all({ updated: 2 })), ["updated", "updated"]);
  t.strictSame(names(all({ unchanged: 2 })), ["unchanged", "unchanged"]);
  const applied = { outcome: "accepted", batch_id: null };
  t.strictSame(all({ created: 1, updated: 1 }), [applied, applied], "applied, and which is which is unknown");
  const rejected = [{ index: 0, external_id: "a", code: "not_found", reason: "not_found" }];
  t.strictSame(readOutcomes({ accepted: 1, created: 1, rejected }, 2), [
    { outcome: "rejected", code: "not_found", reason: "not_found" },
    { outcome: "created" },
  ]);
});

t.test(
  "answer - an event with any entry among the refused is refused, and no event is without an outcome",
  async (t) => {
    const entry = { index: 1, external_id: "b", code: "conflict", reason: "x", outcome: "created" };
    t.strictSame(names(readOutcomes({ accepted: 1, rejected: [entry], outcomes: "cr" }, 2)), [
      "created",
      "rejected",
    ]);
    const rejected = [{ index: 1, external_id: "b", code: "conflict", reason: "x" }];
    t.throws(() => readOutcomes({ accepted: 2, rejected, outcomes: "c\u{1f39f}" }, 3), {
      code: "unexpected_answer",
    });
  },
);

t.test("answer - one that is about other events is not believed", async (t) => {
  const wrong = [
    {},
    processed({ accepted: 1, created: 1 }),
    processed({ accepted: 2, created: 2, outcomes: "c" }),
    processed({ accepted: 2, created: 2, outcomes: "cr" }),
    processed({ accepted: 2, created: 2, outcomes: "c?" }),
    { accepted: 1, rejected: [{ index: 2, code: "conflict", reason: "x" }], outcomes: "cc" },
    { status: "accepted", accepted: 1 },
    { status: "accepted", batch_id: "batch_7", accepted: 1 },
    { accepted: 1, rejected: [null], outcomes: "cr" },
  ];
  for (const answer of wrong) {
    t.throws(() => readOutcomes(answer, 2), { code: "unexpected_answer" }, JSON.stringify(answer));
  }
});

t.test("answer - an index that is no event's, or comes twice, is not believed", async (t) => {
  const why = { external_id: "a", code: "not_found", reason: "not_found" };
  for (const index of ["length", "push", "0", -1, 0.5, 3, null, undefined]) {
    const answer = { accepted: 2, created: 2, rejected: [{ index, ...why }] };
    t.throws(() => readOutcomes(answer, 3), { code: "unexpected_answer" }, String(index));
  }
  const twice = {
    accepted: 1,
    created: 1,
    rejected: [
      { index: 0, ...why },
      { index: 0, ...why },
    ],
  };
  t.throws(
    () => readOutcomes(twice, 3),
    { code: "unexpected_answer" },
    "one of the three would be called created",
  );
});
