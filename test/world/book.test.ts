import t from "tap";
import type { TransactionEvent } from "#contract";
import { Book } from "./book.ts";

const MEMBER = "m_1";

const event = (external_id: string, member_id = MEMBER): TransactionEvent => ({
  member_id,
  external_id,
  auth_code: "A1",
  network: "visa",
  bin: "411111",
  merchant_id: "MID-1",
  authed_at: "2026-03-01T10:00:00Z",
});

/** The problems of a request of two events, of which the second is rejected, whose answer has these counts. */
function problemsOf(
  counts: { created: number; updated: number; unchanged: number },
  exact: boolean,
  reason = "not_found",
): string[] {
  const book = new Book((id) => id === MEMBER);
  const request = book.open([event("a"), event("b", "m_2")], false);
  request.attempts.push({ from: 0, until: 1, url: "", status: 404, note: "" });
  const rejected = [{ index: 1, external_id: "b", code: "not_found", reason }];
  const data = { reason, external_id: "b", accepted: 1, ...counts, rejected };
  book.answered(request, { status: 404, headers: {}, body: { error: { data } } } as never, exact);
  return book.problems;
}

t.test("the book finds wrong counts in an answer with a rejection", async (t) => {
  const none = { created: 0, updated: 0, unchanged: 0 };
  t.strictSame(problemsOf({ ...none, created: 1 }, true), []);
  t.strictSame(problemsOf({ ...none, unchanged: 1 }, false), [], "an earlier attempt may have made it");
  t.equal(problemsOf({ ...none, unchanged: 1 }, true).length, 1);
  t.equal(problemsOf(none, false).length, 1, "fewer than were accepted");
  t.equal(problemsOf({ ...none, created: 2, updated: -1 }, false).length, 1, "more than were new");
});

t.test(
  "the book takes an unknown member for one that a restore has lost, and for nothing else",
  async (t) => {
    const counts = { created: 1, updated: 0, unchanged: 0 };
    t.strictSame(problemsOf(counts, true, "member_not_restored"), []);
    t.equal(problemsOf(counts, true, "identity_mismatch").length, 1);
  },
);
