import t from "tap";
import { transactionIdentifiers } from "#domain";
import { describeTransaction } from "../ingest/event-text.ts";
import { createWorld } from "../ingest/world.ts";
import { quickRun } from "../kit/test-quick-run.ts";
import { BENCH_REWARDS } from "./bench-rewards.ts";
import type { MatchCost } from "./match-costs.ts";
import { expectedCounts } from "./reward-counts.ts";
import { earnedOf, mixedOf, plainOf, RewardPlan, type Shape } from "./reward-plan.ts";
import { merchantsOf, PIPELINE_RETAILERS, paymentsOfRun } from "./whole-loop.ts";

t.setTimeout(400_000);

t.test("bench rewards - the quick benchmark measures, verifies, prints and records", async (t) => {
  // Seconds of the pipeline: when other tests keep the machine busy, a second is too short for an answer.
  const { report, isVerified, line, options } = await quickRun(t, BENCH_REWARDS, "--seconds", "2");
  t.ok(isVerified);
  t.match(report, /^verified \(engine, hot, platform, pipeline\): /m);
  t.notMatch(report, /not measured/);
  t.match(line, {
    engine: { outcomes: { entries: options.outcomes } },
    platform: { records: { entries: options.records } },
    verified: { faults: [] },
  });
  t.equal(line.targets.length, 8);
  for (const { name, value } of line.targets) t.ok(value > 0, name);
  t.ok(line.pipeline.matched_share > 0, `${line.pipeline.matched_share} matched`);
  t.equal(line.pipeline.processes.beside.length, 5);
  t.ok(
    line.pipeline.match_cpu_us.some(({ part, database }: MatchCost) => part === "rewards" && database > 0),
  );
});

t.test(
  "bench rewards - a plan follows from its seed, and its shapes differ only in what is hot",
  async (t) => {
    const planOf = (shape: Shape, seed = 3) => new RewardPlan({ seed, outcomes: 1000, shape });
    const even = planOf("even");
    t.strictSame(planOf("even").outcomes, even.outcomes);
    t.notSame(planOf("even", 4).outcomes, even.outcomes);
    const deals = even.outcomes.filter(({ kind }) => kind === "deal").length;
    t.equal(deals, 200, "one in five");
    t.strictSame(planOf("hot-program").outcomes, even.outcomes);
    t.equal(planOf("hot-program").programs.length, 1);
    const hot = planOf("hot-member");
    const ofHotMember = hot.outcomes.filter((_, number) => hot.memberOf(number) === hot.members - 1);
    t.equal(ofHotMember.length, 500, "one half");
    const others = hot.outcomes.map((outcome, number) =>
      hot.memberOf(number) === hot.members - 1 ? even.outcomes[number] : outcome,
    );
    t.strictSame(others, even.outcomes);
  },
);

t.test(
  "bench rewards - the expected counts add up, and one in ten of the settled has earned something",
  async (t) => {
    const plan = new RewardPlan({ seed: 3, outcomes: 5000, shape: "even" });
    const before = expectedCounts(plan, []);
    const after = expectedCounts(plan, ["mixed", "earned"]);
    t.equal(before.stamps, 4000);
    t.equal(before["cashbacks pending"], before["cashback.created"]);
    const { "cashbacks pending": pending = 0, "cashbacks cleared": cleared = 0 } = after;
    const { "cashbacks reverted": reverted = 0 } = after;
    t.equal(pending + cleared + reverted, after["cashback.created"]);
    t.ok(pending > 0 && cleared > reverted && reverted > 0);
    const earned = earnedOf(plan, "mixed").length;
    const mixed = mixedOf(plan);
    t.equal(mixed.length, 10 * earned);
    t.equal(mixed.filter(({ number }) => number >= 5000).length, plainOf(plan));
    t.equal(new Set(mixed.map(({ number }) => number)).size, mixed.length, "each once");
  },
);

t.test(
  "bench rewards - one in ten purchases is paid, once, at its retailer, by its identifiers",
  async (t) => {
    const world = createWorld(5, 50);
    const tokens = Array.from({ length: PIPELINE_RETAILERS }, (_, i) => `token ${i}`);
    const transactions = 30_000;
    const requests = paymentsOfRun({ seed: 5, run: 21, transactions, world, tokens });
    const paid = new Map<string, { readonly identifiers: readonly string[]; readonly token: string }>();
    for (const { body, token } of requests) {
      for (const { payment_id, identifiers } of JSON.parse(body).payments) {
        t.notOk(paid.has(payment_id));
        paid.set(payment_id, { identifiers, token });
      }
    }
    t.ok(paid.size > 0.06 * transactions && paid.size < 0.11 * transactions, `${paid.size} payments`);
    let wrong = 0;
    for (let number = 0; number < transactions; number++) {
      const transaction = describeTransaction(5, 21, number, 50);
      const payment = paid.get(`P-${transaction.externalId}`);
      if (payment === undefined) continue;
      const retailer = tokens.indexOf(payment.token);
      const isOwn = merchantsOf(retailer).includes(transaction.merchantId);
      if (!isOwn || payment.identifiers[0] !== transactionIdentifiers(transaction).six) wrong++;
    }
    t.equal(wrong, 0);
    const dues = requests.map(({ after }) => after);
    t.strictSame(
      dues,
      dues.toSorted((a, b) => a - b),
    );
  },
);

t.test("bench rewards - wrong arguments are named", async (t) => {
  t.equal(BENCH_REWARDS.arguments.read(["--help"]), "help");
  t.throws(() => BENCH_REWARDS.arguments.read(["--only", "edge"]), {
    message: /--only is one of engine, hot, platform, pipeline/,
  });
  t.throws(() => BENCH_REWARDS.arguments.read(["--halves", "1000"]), { message: /at least 40000/ });
  t.match(BENCH_REWARDS.arguments.read([]), { mode: "rewards", halves: 10_000_000 });
  t.match(BENCH_REWARDS.arguments.read(["--only", "hot"]), { mode: "rewards-partial", parts: ["hot"] });
});
