import t from "tap";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_WEBHOOKS } from "./bench-webhooks.ts";
import { ReceivedOrder } from "./received-order.ts";

t.setTimeout(400_000);

t.test("bench webhooks - the quick benchmark measures, verifies, prints and records", async (t) => {
  const { report, isVerified, line, options } = await quickRun(t, BENCH_WEBHOOKS);
  t.ok(isVerified);
  t.match(report, /^verified: /m);
  t.match(report, /one webhook, its backlog in full deliveries +\d+ events\/s/);
  t.match(report, /from the commit to the arrival, unloaded: p50 +\d+ ms/);
  t.strictSame(line.verified.faults, []);
  t.equal(line.backlog.events, options.events);
  t.ok(line.backlog.deliveries >= options.events / 100);
  t.ok(line.many.deliveries_per_second > 0);
  t.match(report, /beside 20 that want one event/);
  t.ok(line.rare.beside_rare.database_cpu_seconds >= 0);
  t.ok(line.many.others_per_second.beside_hanging.every((pace: number) => pace > 0));
});

t.test("bench webhooks - missing, unordered and repeated events are detected", async (t) => {
  const order = new ReceivedOrder(2);
  t.equal(order.add(0, [1, 2, 3]), 3);
  t.equal(order.add(1, [1]), 1);
  t.equal(order.add(0, [2, 3, 4]), 1);
  t.strictSame([order.events, order.repeated, order.faults], [[4, 1], 2, []]);
  t.equal(order.add(1, [3, 2]), 1);
  t.strictSame(order.faults, ["webhook 1: 3 came after 1"]);
});

t.test("bench webhooks - wrong arguments are named", async (t) => {
  t.equal(BENCH_WEBHOOKS.arguments.read(["--help"]), "help");
  t.throws(() => BENCH_WEBHOOKS.arguments.read(["--webhooks", "4"]), { message: /at least 5/ });
  t.throws(() => BENCH_WEBHOOKS.arguments.read(["--seconds", "30"]), { message: /at most 10/ });
  t.throws(() => BENCH_WEBHOOKS.arguments.read(["--only", "all"]), {
    message: /one of backlog, many, latency, rare/,
  });
  t.match(BENCH_WEBHOOKS.arguments.read(["--webhooks", "50"]), {
    mode: "webhooks-partial",
    webhooks: 50,
    hanging: 10,
  });
});
