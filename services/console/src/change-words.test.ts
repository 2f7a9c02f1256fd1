import t from "tap";
import { changeWords } from "./change-words.ts";

t.test("changes in words - values, lists, long values and secrets", async (t) => {
  t.equal(changeWords({ field: "state", old: "enabled", new: "paused" }), "state: enabled → paused");
  t.equal(changeWords({ field: "rules.min_amount", old: null, new: 100 }), "rules.min_amount: nothing → 100");
  t.equal(
    changeWords({ field: "events", removed: ["a"], added: ["b", "c"] }),
    "events: without a, with b, c",
  );
  t.equal(changeWords({ field: "events", removed: [], added: ["b"] }), "events: with b");
  const long = { begins: '"A lon', length: 4000, sha256: "00" };
  t.equal(changeWords({ field: "terms", old: "", new: long }), 'terms: nothing → "A lon… (4000 characters)');
  t.equal(changeWords({ field: "secret", secret: true }), "secret: another secret");
});
