import t from "tap";
import { Revisions } from "./revisions.ts";

t.test(
  "revisions - each moment has the newest that had begun; before the first it is the first",
  async (t) => {
    const revisions = new Revisions([
      { id: "a", since: 30, value: "third" },
      { id: "a", since: 10, value: "first" },
      { id: "a", since: 20, value: "second" },
      { id: "b", since: 20, value: "other" },
    ]);
    const cases: [number, string][] = [
      [0, "first"],
      [10, "first"],
      [19, "first"],
      [20, "second"],
      [29, "second"],
      [30, "third"],
      [99, "third"],
    ];
    for (const [at, value] of cases) t.equal(revisions.inForce("a", at), value, `${at}`);
    t.equal(revisions.inForce("b", 0), "other");
    t.equal(revisions.inForce("c", 0), undefined);
  },
);

t.test("revisions - a deletion is one too", async (t) => {
  const revisions = new Revisions([
    { id: "a", since: 10, value: "it" },
    { id: "a", since: 20, value: null },
  ]);
  t.equal(revisions.inForce("a", 19), "it");
  t.equal(revisions.inForce("a", 20), undefined);
  t.strictSame([...revisions.allInForce(19)], [["a", "it"]]);
  t.strictSame([...revisions.allInForce(20)], []);
});
