import t from "tap";
import { addWork, matchCosts, totalOf } from "./match-costs.ts";

t.test("a match costs what its part takes in addition to the cost of the events", (t) => {
  const alone = { events: 1000, matches: 0, counters: { "cpu.ingest": 0.01, "cpu.ingest database": 0.02 } };
  const half = {
    events: 500,
    matches: 50,
    counters: { "cpu.ingest": 0.01, "cpu.ingest database": 0.01, "cpu.rewards": 0.002 },
  };
  const costs = matchCosts(alone, addWork([half, half]));
  const rounded = costs.map(({ part, process, database }) => [
    part,
    Math.round(process),
    Math.round(database),
  ]);
  t.strictSame(rounded, [
    ["edge", 0, 0],
    ["ingest", 100, 0],
    ["platform", 0, 0],
    ["rewards", 40, 0],
    ["webhooks", 0, 0],
    ["nats", 0, 0],
    ["database background", 0, 0],
  ]);
  t.equal(Math.round(totalOf(costs)), 140);
  t.end();
});
