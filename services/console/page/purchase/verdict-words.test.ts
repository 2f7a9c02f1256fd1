import t from "tap";
import { at, BOOKS, clip, enrolment, explained, stamp, trace, verdict } from "./test-trace.ts";
import { sayVerdicts } from "./verdict-words.ts";

const reader = { now: new Date("2026-11-23T16:00:00Z"), zone: "UTC" };
const late = { counts: false, reason: "made_too_late", made_at: at("15:00") };
const ofBooks = {
  stamp_collection_id: BOOKS.stamp_collection_id,
  loyalty_program_id: "lp_books",
  name: "Books",
};

t.test("verdicts - one for each enrolment and clip, by the trace or the platform", async (t) => {
  const it = trace([stamp()], { links: [enrolment(), enrolment(ofBooks), clip(late)] });
  const explanation = explained(
    verdict("not_earned", { reason: "ended" }),
    verdict("waiting", { until: at("14:00", "2026-12-22"), ...ofBooks }),
  );
  const lines = sayVerdicts(it, explanation, reader).map(
    ({ what, name, label, text }) => `${what} ${name}: ${label}. ${text}`,
  );
  t.strictSame(lines, [
    "card Coffee: Earned. It got a stamp at 14:02.",
    "card Books: Waiting. The retailer's payment has not come; it may until 22 December.",
    "saved deal Shoes: Not earned. The member saved it at 15:00, after the purchase.",
  ]);
});

t.test("verdicts - without the platform's answer, the links say what they can", async (t) => {
  const it = trace([], {
    links: [
      enrolment(),
      enrolment({ ...ofBooks, counts: false, reason: "later_reason", text: "It was shut." }),
    ],
  });
  t.strictSame(
    sayVerdicts(it, undefined, reader).map(({ label, text }) => `${label}: ${text}`),
    ["Waiting: The platform has not said anything of it.", "Not earned: It was shut."],
  );
});

t.test("verdicts - verdicts of programs and deals that the member did not have in time", async (t) => {
  const none = { stamp_collection_id: undefined, clip_id: undefined };
  const explanation = explained(
    verdict("earned", none),
    verdict("waiting", {
      ...none,
      type: "clip",
      loyalty_program_id: undefined,
      deal_id: "deal_1",
      name: "Shoes",
    }),
    verdict("not_earned", { ...none, loyalty_program_id: "lp_books", name: "Books", reason: "ended" }),
  );
  const said = sayVerdicts(trace([], { links: [] }), explanation, reader);
  t.strictSame(
    said.map(({ id, label, text }) => `${id} ${label}: ${text}`),
    [
      "lp_coffee Not earned: It would count, but the member had not joined it in time.",
      "deal_1 Not earned: It would count, but the member had not saved it in time.",
      "lp_books Not earned: It was over.",
    ],
  );
});

t.test(
  "verdicts - a reward that was given and taken back says both, and reasons do not repeat the name",
  async (t) => {
    const it = trace([stamp({ state: "voided" })], { links: [enrolment(), enrolment(ofBooks)] });
    const explanation = explained(
      verdict("not_earned", { reason: "reverted" }),
      verdict("not_earned", { reason: "other_merchant", ...ofBooks }),
    );
    t.strictSame(
      sayVerdicts(it, explanation, reader).map(({ label, text }) => `${label}: ${text}`),
      [
        "Taken back: It got a stamp at 14:02, which was taken back, because the purchase was reverted.",
        "Not earned: It does not count purchases at this merchant.",
      ],
    );
  },
);
