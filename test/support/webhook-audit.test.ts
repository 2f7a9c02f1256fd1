import t from "tap";
import { WebhookAudit } from "./webhook-audit.ts";

t.test("the audit finds deliveries that are early, out of order, changed or missing", async (t) => {
  const audit = new WebhookAudit("w");
  audit.receive("1", "a", ["e1"]);
  audit.receive("1", "a", ["e1"]);
  audit.accept(["e1"]);
  audit.receive("2", "b", ["e2"]);
  audit.receive("1", "a", ["e1"]);
  audit.finish(["e1"]);
  t.strictSame([audit.problems, audit.repeated], [["w: event 1 is e2, not undefined"], 2]);
  audit.problems.length = 0;
  audit.receive("3", "c", ["e3"]);
  audit.receive("2", "B", ["e2"]);
  audit.finish(["e1", "e3", "e2"]);
  t.strictSame(audit.problems, [
    "w: 3 came although 1 events before it were not accepted",
    "w: 2 came again with another body",
    "w: 2 of 3 events were never accepted",
    "w: event 1 is e2, not e3",
  ]);
});
