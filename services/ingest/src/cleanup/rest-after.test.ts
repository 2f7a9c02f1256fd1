import t from "tap";
import { restAfter } from "./rest-after.ts";

t.test("rest - nine times as long as the step took, and never a moment alone", async (t) => {
  t.equal(restAfter(50), 450);
  t.equal(restAfter(1), 20);
});

t.test(
  "rest - where steps must come sooner, as the work asks, down to as long as the step took",
  async (t) => {
    t.equal(restAfter(50, 10_000), 450, "there is time");
    t.equal(restAfter(50, 200), 150);
    t.equal(restAfter(50, 60), 50);
    t.equal(restAfter(50, -1000), 50, "late");
    t.equal(restAfter(1, 0), 1);
  },
);
