import t from "tap";
import { exampleCosts } from "../test-measurements.ts";
import { Clock, Host } from "./host.ts";
import { oneMachine, type SimulationSetting } from "./setting.ts";
import { simulate } from "./simulate.ts";

t.test("simulation - things happen in the order of their moments", async (t) => {
  const clock = new Clock();
  const seen: string[] = [];
  for (const [name, atMs] of [
    ["d", 7],
    ["a", 1],
    ["c", 5],
    ["b", 5 - 2],
  ] as const) {
    clock.after(atMs, () => seen.push(`${name} ${clock.nowMs}`));
  }
  clock.after(5, () => seen.push("c too"));
  clock.run(6);
  t.strictSame(seen, ["a 1", "b 3", "c 5", "c too"]);
  clock.run(10);
  t.equal(seen.at(-1), "d 7");
  t.equal(clock.nowMs, 10);
});

t.test("simulation - threads share the cores evenly, and one has never more than one", async (t) => {
  const clock = new Clock();
  const host = new Host(clock, 2);
  const ends: Record<string, number> = {};
  const work = (name: string, ms: number) => host.thread().do(ms, () => (ends[name] = clock.nowMs));
  // Two thirds of a core each until the first is done, then a whole one.
  work("short", 2);
  work("long", 4);
  work("longer", 6);
  clock.run(100);
  t.strictSame(Object.keys(ends), ["short", "long", "longer"]);
  t.ok(Math.abs((ends.short ?? 0) - 3) < 1e-9, `${ends.short}`);
  t.ok(Math.abs((ends.long ?? 0) - 5) < 1e-9, `${ends.long}`);
  t.ok(Math.abs((ends.longer ?? 0) - 7) < 1e-9, `${ends.longer}`);
});

t.test("simulation - a thread does one thing after the other", async (t) => {
  const clock = new Clock();
  const thread = new Host(clock, 4).thread();
  const ends: number[] = [];
  for (const ms of [3, 1]) thread.do(ms, () => ends.push(clock.nowMs));
  clock.run(100);
  t.strictSame(ends, [3, 4]);
  t.equal(thread.workedMs, 4);
});

const SETTING: SimulationSetting = {
  costs: exampleCosts(),
  topology: oneMachine(2),
  load: { kind: "closed", size: 500, connections: 16, generatorMicros: 800 },
  matchedShare: 0,
  ...{ seed: 1, seconds: 2, warmUpSeconds: 0.5 },
};

t.test("simulation - a closed loop keeps the cores busy, and nothing takes more than it has", async (t) => {
  const { cores, eventsPerSecond } = simulate(SETTING);
  const busy = Object.values(cores).reduce((sum, one) => sum + one, 0);
  t.ok(busy > 1.6 && busy < 2.1, `${busy} of 2 cores`);
  t.ok(eventsPerSecond > 10_000);
  t.equal(cores["webhooks database"], 0, "nothing matches");
});

t.test("simulation - more of anything costs throughput, more cores and less work give it", async (t) => {
  const rate = (change: Partial<SimulationSetting>) => simulate({ ...SETTING, ...change }).eventsPerSecond;
  const usual = rate({});
  t.ok(rate({ topology: oneMachine(1) }) < 0.7 * usual, "one core");
  t.ok(rate({ matchedShare: 0.1 }) < 0.8 * usual, "one in ten matches");
  t.ok(rate({ load: { kind: "closed", size: 1, connections: 256, generatorMicros: 60 } }) < 0.5 * usual);
  t.ok(rate({ costs: { ...SETTING.costs, syncMs: 100 } }) < 0.8 * usual, "a slow disk");
});

t.test("simulation - what is offered below capacity is answered, and above it waits", async (t) => {
  const at = (eventsPerSecond: number) =>
    simulate({ ...SETTING, load: { kind: "open", size: 50, eventsPerSecond } });
  const low = at(4_000);
  t.ok(Math.abs(low.eventsPerSecond - 4_000) < 400, `${low.eventsPerSecond}`);
  t.ok(low.openEvents < 500 && low.p99Ms < 100, `${low.openEvents} open`);
  const high = at(200_000);
  t.ok(high.eventsPerSecond < 100_000 && high.openEvents > 100_000, `${high.openEvents} open`);
  t.ok(high.eventsPerMessage > 3 * low.eventsPerMessage, "messages grow with the load");
});
