import t from "tap";
import { fromLocal, toLocal } from "./local-time.ts";

t.test("local time - converts there and back, to the second, on both sides of a clock change", async (t) => {
  for (const at of ["2026-11-23T14:02:07.000Z", "2026-03-29T00:59:59.000Z", "2026-07-01T22:30:00.000Z"]) {
    t.match(toLocal(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    t.equal(fromLocal(toLocal(at)), at);
  }
  t.equal(toLocal(""), "");
  t.equal(fromLocal(""), "");
});
