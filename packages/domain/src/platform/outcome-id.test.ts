import t from "tap";
import { type OutcomeTarget, outcomeId } from "./outcome-id.ts";

const TRANSACTION = "tx_1";

t.test(
  "outcome id - fixed outcomes keep their ids: a resent one would count twice under another",
  async (t) => {
    t.equal(
      outcomeId(TRANSACTION, { type: "program", programId: "lp_1" }),
      "a4d7d120-1b4c-8a3c-930d-55f8837d976d",
    );
    t.equal(
      outcomeId(TRANSACTION, { type: "clip", clipId: "clip_1" }),
      "82833d93-44b4-8518-a9b9-8717515dcd65",
    );
  },
);

t.test("outcome id - another transaction, kind or target is another outcome", async (t) => {
  const targets: OutcomeTarget[] = [
    { type: "program", programId: "a" },
    { type: "program", programId: "b" },
    { type: "clip", clipId: "a" },
    { type: "clip", clipId: "b" },
  ];
  const ids = ["tx_1", "tx_2"].flatMap((transaction) => targets.map((one) => outcomeId(transaction, one)));
  t.equal(new Set(ids).size, 8);
});
