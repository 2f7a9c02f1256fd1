import t from "tap";
import { dryRunSentence, reasonWords } from "./dry-run-words.ts";
import type { DryRun } from "./program-types.ts";

const run: DryRun = {
  since: "2026-11-22T14:00:00.000Z",
  purchases: 1204,
  complete: true,
  earned: 312,
  reasons: [],
  rewards: [],
  examples: [],
  unrouted_merchant_ids: [],
};

t.test("dry run - one sentence says what the result would have been", async (t) => {
  t.equal(dryRunSentence(run, "program"), "Of 1,204 purchases of the last day, 312 would have counted.");
  t.equal(
    dryRunSentence({ ...run, linked: 87 }, "program"),
    "Of 1,204 purchases of the last day, 312 would have counted, 87 of them by members enrolled in it.",
  );
  t.match(dryRunSentence({ ...run, linked: 87 }, "deal"), /members who saved it\.$/);
  t.equal(
    dryRunSentence({ ...run, purchases: 20_000, complete: false, earned: 0, linked: 0 }, "deal"),
    "Of the newest 20,000 purchases, none would have counted.",
  );
  t.match(dryRunSentence({ ...run, purchases: 0, earned: 0 }, "deal"), /^No purchase of the last day/);
});

t.test("dry run - a reason has words, and a new one is shown unchanged", async (t) => {
  t.equal(reasonWords("unconfirmed"), "has no payment of the retailer yet");
  t.equal(reasonWords("something_new"), "something new");
});
