import t from "tap";
import { changeWords, reasonWords } from "./letter-words.ts";

t.test("letter words - a change says which letters were changed, and why others were not", async (t) => {
  t.equal(changeWords({ done: 1, impossible: 0 }, "put back"), "1 letter put back.");
  t.equal(
    changeWords({ done: 1204, impossible: 2 }, "put back"),
    "1,204 letters put back. 2 letters cannot be put back, because the event was not kept: they stay.",
  );
  t.equal(
    changeWords({ done: 0, impossible: 0, named: 1 }, "discarded"),
    "0 letters discarded. 1 letter had gone already.",
  );
  t.match(
    changeWords({ done: 3, impossible: 0, named: 9, stopped: "at 7: no answer" }, "put back"),
    /^3 letters put back\. Then it stopped at 7: no answer\. The other letters are kept/,
  );
});

t.test("letter words - a reason has a sentence, a new one has none", async (t) => {
  t.match(reasonWords("poison_event"), /\.$/);
  t.equal(reasonWords("something_new"), "");
});
