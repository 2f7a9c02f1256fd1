import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PlatformClient, StampedeClient } from "#client";
import { DISPLAY_CONTENT, type Pipeline, waitFor } from "#test-support";
import { startTestAllInOne, type TestAllInOne } from "../test-all-in-one.ts";
import { runCommand } from "../test-command.ts";

let pipeline: Pipeline;
let allInOne: TestAllInOne;
t.before(async () => {
  allInOne = await startTestAllInOne();
  pipeline = allInOne.pipeline;
});

/** The environment of a terminal beside the pipeline, which takes it for the all-in-one of its data directory. */
const beside = (t: Test) => ({ STAMPEDE_DATA_DIR: allInOne.dataDirectory(t) });

const linesOf = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

// The transcript of commands.md.
t.test("simulate - a purchase makes the records that it needs, and says when each event came", async (t) => {
  const env = beside(t);
  const { code, out, err } = await runCommand(
    ["simulate", "purchase", "--member", "ada", "--set", "amount=1250"],
    env,
  );
  t.equal(code, 0, out);
  t.match(err, /member ada \(m_\w+\), made in mb_/);
  t.match(err, /program lp_\w+ "Simulated.*", enrolled just now \(sc_\w+\)/);
  t.match(err, /retailer ret_\w+ .*merchant SIMULATED-1, made just now/);
  t.match(out, /^ +0\.0 ms {2}authorize {3}simulated-\w+-purchase created, answered in [\d.]+ ms\n/);
  t.match(out, /ms {2}pay .*simulated-\w+-purchase-payment accepted, answered in/);
  t.match(
    out,
    /ms {2}qualifying_purchase\.created {2}[\d.]+ ms after pay, [\d.]+ ms after authorize {2}\{.*"unredeemed_purchases":1/,
  );
  t.match(out, /ms {2}clear .* updated, answered in [\d.]+ ms\nall expected events came\n$/);

  const again = await runCommand(
    ["simulate", "purchase", "--member", "ada", "--json", "--via", "webhook"],
    env,
  );
  t.equal(again.code, 0, again.out);
  t.match(again.err, /member ada \(m_\w+\) of mb_.*\nprogram .*", enrolled \(sc_/);
  const lines = linesOf(again.out);
  t.match(lines.at(-1), { kind: "end", ok: true, missing: [] });
  const event = lines.find(({ kind }) => kind === "event");
  t.match(event, { since: [{ step: "authorize" }, { step: "pay" }], event: { unredeemed_purchases: 2 } });
});

t.test("simulate - a refund takes the stamp back, at once or for an earlier purchase", async (t) => {
  const env = beside(t);
  const whole = await runCommand(["simulate", "refund", "--member", "grace"], env);
  t.equal(whole.code, 0, whole.out);
  // A line stands where its answer or event came, and an event may come before the answer to the step that
  // caused it. But no line of the stamp names the reversal, which had not begun then.
  t.match(
    whole.out,
    /ms {2}qualifying_purchase\.created {2}[\d.]+ ms after pay, [\d.]+ ms after authorize {2}\{/,
  );
  t.match(whole.out, /ms {2}revert .*updated, answered in/);
  t.match(whole.out, /ms {2}qualifying_purchase\.voided {2}[\d.]+ ms after revert/);
  t.match(whole.out, /\nall expected events came\n$/);

  const bought = await runCommand(
    ["simulate", "purchase", "--member", "grace", "--steps", "authorize,pay"],
    env,
  );
  const ref = /(simulated-\w+-purchase) created/.exec(bought.out)?.[1] ?? "";
  const refund = (...args: string[]) =>
    runCommand(["simulate", "refund", "--transaction", ref, ...args], env);
  const refunded = await refund();
  t.equal(refunded.code, 0, refunded.out);
  t.match(refunded.out, /ms {2}revert .*updated, answered in/);
  t.match(refunded.out, /ms {2}qualifying_purchase\.voided {2}[\d.]+ ms after revert/);
  const cleared = await refund("--steps", "clear", "--expect", "none");
  t.equal(cleared.code, 2, "a reverted purchase cannot be cleared");
  t.match(cleared.out, /clear was rejected: conflict, invalid_transition\n$/);
  await t.rejects(refund("--steps", "pay", "--expect", "none"), {
    message: "pay: no retailer of this merchant is known: name a --program or a --deal",
  });
  await t.rejects(runCommand(["simulate", "refund", "--transaction", "no-such"], env), {
    message: /there is no/,
  });
});

t.test("simulate - a scenario of three purchases fills a card", async (t) => {
  const env = beside(t);
  const buy = (purchase: string, ...expect: string[]) => [
    { step: "authorize", purchase },
    { step: "pay", purchase, expect: ["qualifying_purchase.created", ...expect] },
  ];
  const steps = [
    ...buy("a"),
    ...buy("b"),
    ...buy("c", "cashback.created"),
    { step: "clear", purchase: "c", expect: "cashback.cleared" },
  ];
  const file = join(env.STAMPEDE_DATA_DIR, "card.json");
  writeFileSync(file, JSON.stringify({ member: "barbara", set: { amount: 900 }, steps }));
  const { code, out } = await runCommand(["simulate", "--scenario", file, "--json"], env);
  t.equal(code, 0, out);
  const events = linesOf(out).flatMap(({ kind, event }) => (kind === "event" ? [event] : []));
  t.equal(events.filter(({ type }) => type === "qualifying_purchase.created").length, 3);
  t.match(events.at(-1), { type: "cashback.cleared", amount: 500, transaction_ref: /-c$/ });
});

t.test("simulate - an event that does not come in time is named, and the exit code is 1", async (t) => {
  const env = beside(t);
  const steps = [
    "authorize",
    { step: "pay", expect: "qualifying_purchase.created", within: "60s" },
    // Once more, which changes nothing: a single purchase fills no card.
    { step: "authorize", expect: ["cashback.created"], within: "300ms" },
  ];
  const file = join(env.STAMPEDE_DATA_DIR, "late.json");
  writeFileSync(file, JSON.stringify({ member: "edsger", steps }));
  const { code, out } = await runCommand(["simulate", "--scenario", file], env);
  t.equal(code, 1);
  t.match(out, /qualifying_purchase\.created {2}/);
  t.match(out, /\nMISSING: cashback\.created did not come within 0\.3 s after authorize\n/);
  t.notMatch(out, /MISSING: qualifying/);
  t.match(out, /\nsimulated-\w+-purchase is authorized, with no cashback\n/);
});

t.test("simulate - an existing program and deal give merchant, amount and retailer", async (t) => {
  const env = beside(t);
  const { platformUrl, platformToken } = allInOne;
  const platform = new PlatformClient({ baseUrl: platformUrl, token: platformToken });
  t.teardown(() => platform.close());
  const rules = { merchant_ids: ["SHOP-9"], min_amount: 5000, currency: "USD" };
  await platform.call("retailer/upsert", { name: "Nine", merchant_ids: ["SHOP-9"] });
  const { id: deal } = await platform.call("deal/upsert", {
    name: "Nine's deal",
    reward_config: { type: "percent", percent: 10 },
    display_content: DISPLAY_CONTENT,
    rules,
  });
  const args = ["simulate", "purchase", "--member", "alan", "--deal", deal, "--json"];
  const client = new StampedeClient({ baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token });
  t.teardown(() => client.close());
  await waitFor(() => client.call("deal/get", { id: deal }), { message: "the publisher has the deal" });
  const { code, out, err } = await runCommand(args, env);
  t.equal(code, 0, out);
  t.match(
    err,
    /deal deal_\w+ "Nine's deal", clipped just now \(clip_[\s\S]*retailer ret_\w+ "Nine", merchant SHOP-9\n/,
  );
  const events = linesOf(out).flatMap(({ kind, event }) => (kind === "event" ? [event] : []));
  t.match(events, [
    { type: "cashback.created", amount: 500, currency: "USD" },
    { type: "cashback.cleared", amount: 500 },
  ]);
});

t.test(
  "simulate - another instance is touched only with --allow-live, and nothing is made there",
  async (t) => {
    const env = beside(t);
    const elsewhere = await pipeline.start("edge");
    const { token } = pipeline.publisher;
    const files = env.STAMPEDE_DATA_DIR;
    const live = ["--url", elsewhere.url ?? "", "--token-file", join(files, "token")];
    const simulate = (...args: string[]) => runCommand(["simulate", "purchase", ...live, ...args], env);
    await t.rejects(simulate(), { message: /is not the all-in-one of this machine: with --allow-live/ });
    await t.rejects(simulate("--allow-live"), {
      message: /^pay is the retailer's payment: give --platform-url/,
    });
    const platform = [
      "--platform-url",
      allInOne.platformUrl,
      "--platform-token-file",
      join(files, "platform-token"),
    ];
    await t.rejects(simulate("--allow-live", ...platform, "--member", "unknown"), {
      message: /no member has the ref "unknown"/,
    });
    await t.rejects(simulate("--allow-live", "--member", "ada", "--steps", "authorize"), {
      message: /give --set merchant_id/,
    });

    const client = new StampedeClient({ baseUrl: elsewhere.url ?? "", token });
    t.teardown(() => client.close());
    const [program] = (await client.call("loyalty-program/list", {})).data;
    const args = ["--allow-live", ...platform, "--program", program?.id ?? ""];
    const base = await client.createMemberbase("live");
    await client.upsertMembers(base.id, [{ ref: "live-one" }]);
    await t.rejects(simulate(...args, "--member", "live-one"), { message: /is not enrolled in lp_.*create/ });
    const { code, out } = await simulate(...args, "--member", "ada");
    t.equal(code, 0, out);
  },
);

t.test("simulate - if two memberbases have a ref, the memberbase must be named", async (t) => {
  const env = beside(t);
  const client = new StampedeClient({ baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token });
  t.teardown(() => client.close());
  const bases = [await client.createMemberbase("one"), await client.createMemberbase("two")];
  for (const { id } of bases) await client.upsertMembers(id, [{ ref: "twin" }]);
  const buy = ["simulate", "purchase", "--member", "twin", "--steps", "authorize", "--expect", "none"];
  await t.rejects(runCommand(buy, env), { message: /2 members have the ref "twin".*--member-base \(mb_/ });
  t.equal((await runCommand([...buy, "--member-base", bases[1]?.id ?? ""], env)).code, 0);
  await t.rejects(runCommand([...buy, "--member-base", "mb_none"], env), {
    message: /there is no memberbase mb_none/,
  });
});

t.test("simulate - says which option is missing", async (t) => {
  const env = { STAMPEDE_DATA_DIR: t.testdir() };
  await t.rejects(runCommand(["simulate"], env), { message: /say what to simulate: purchase or refund/ });
  await t.rejects(runCommand(["simulate", "purchase"], env), { message: /nothing runs on/ });
  await t.rejects(runCommand(["simulate", "purchase", "--scenario", "x"], env), {
    message: /say what to simulate/,
  });
});
