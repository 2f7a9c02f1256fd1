import t from "tap";
import { findCycles } from "./import-cycles.ts";

const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

t.test("import cycles - a tree and a diamond have none", async (t) => {
  t.strictSame(findCycles(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), []);
});

t.test("import cycles - a file that imports itself is one", async (t) => {
  t.strictSame(findCycles(graph({ a: ["a"] })), [["a", "a"]]);
});

t.test("import cycles - each group is shown once, by its shortest way round", async (t) => {
  const edges = { entry: ["b"], b: ["c"], c: ["d", "a"], d: ["a"], a: ["b"], x: ["y"], y: ["x", "b"] };
  t.strictSame(findCycles(graph(edges)), [
    ["a", "b", "c", "a"],
    ["x", "y", "x"],
  ]);
});

t.test("import cycles - what is not in the graph leads nowhere", async (t) => {
  t.strictSame(findCycles(graph({ a: ["gone"], b: ["a"] })), []);
});
