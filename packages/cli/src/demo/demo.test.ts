import t from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { Terminal } from "../terminal.ts";
import type { PlatformAccess } from "./rewards/reward-run.ts";
import { runDemo } from "./run-demo.ts";

/** Of the runs beside the first, which is the whole demo: they are about something else than the numbers. */
const FEWER = 2_500;

let pipeline: Pipeline;
let platform: PlatformAccess;
let first: Report;
let withoutPlatform: Report;
t.before(async () => {
  pipeline = await startPipeline({
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  withoutPlatform = await demo({ events: FEWER });
  const [service] = await Promise.all([
    pipeline.start("platform"),
    pipeline.start("rewards"),
    pipeline.start("webhooks"),
  ]);
  platform = { url: service.url ?? "", token: await pipeline.newPlatformToken() };
  first = await demo({ platform, consoleUrl: "http://127.0.0.1:1/" });
});
t.teardown(() => pipeline.stop());

interface Report {
  readonly agrees: boolean;
  readonly out: string;
  readonly err: string;
  readonly tag: string;
}

/** Runs the demo against the pipeline; what it wrote is in `out` and `err`. */
async function demo(
  options: {
    run?: string;
    events?: number;
    settleMs?: number;
    platform?: PlatformAccess;
    consoleUrl?: string;
  } = {},
): Promise<Report> {
  let out = "";
  let err = "";
  const terminal = new Terminal(
    { write: (text: string) => (out += text) },
    { write: (text: string) => (err += text) },
  );
  const agrees = await runDemo({
    publisherUrl: pipeline.edge.url ?? "",
    databaseUrl: pipeline.databaseUrl,
    token: pipeline.publisher.token,
    terminal,
    ...options,
  });
  return { agrees, out, err, tag: /--run ([0-9a-z]+)/.exec(out)?.[1] ?? "" };
}

/** The part of the table with this title. */
function sectionOf({ out }: Report, title: string): string {
  const start = out.indexOf(`\n${title} `);
  return start < 0 ? "" : out.slice(start, out.indexOf("\n\n", start));
}
const rewardsOf = (report: Report) => sectionOf(report, "rewards");
const eventsOf = (report: Report) => sectionOf(report, "events told");

t.test("demo - every number agrees", async (t) => {
  t.ok(first.agrees, first.out);
  t.match(first.out, /every number agrees\n$/);
  t.match(first.out, /sent +10,000 +10,000\n/);
  t.match(first.err, /100 % +10,000 of 10,000 events/);
});

t.test("demo - stamps, redemptions and cashbacks of every state are among the numbers", async (t) => {
  for (const name of ["stamps", "redemptions", "clips redeemed", "pending", "cleared", "reverted"]) {
    const [, model, found] = new RegExp(` ${name} +([0-9,]+) +([0-9,]+)\n`).exec(rewardsOf(first)) ?? [];
    t.ok(Number(model) > 20 && found === model, `${name}: ${found} of ${model}`);
  }
});

t.test("demo - events of every type are among the numbers, and the webhook is gone afterwards", async (t) => {
  const types = ["created, less voided", "unredeemed", "created", "cleared", "reverted", "rejected"];
  for (const type of types) {
    const [, model, found] = new RegExp(`\\.${type} +([0-9,]+) +([0-9,]+)\n`).exec(eventsOf(first)) ?? [];
    t.ok(Number(model?.replaceAll(",", "")) > 5 && found === model, `${type}: ${found} of ${model}`);
  }
  const [{ webhooks }] = await pipeline.store<[{ webhooks: number }]>`
    select count(*)::int as webhooks from webhooks`;
  t.equal(webhooks, 0);
});

t.test("demo - where nobody sends webhooks it says so and checks the rest", async (t) => {
  t.match(withoutPlatform.err, /no process sends webhooks: webhooks are left out\n/);
  t.equal(eventsOf(withoutPlatform), "");
});

t.test("demo - where to watch it is said before it begins", async (t) => {
  t.match(first.err, /\nwatch it: http:\/\/127\.0\.0\.1:1\/#link=[\w-]{43}\n/);
  t.notMatch(withoutPlatform.err, "watch it");
});

t.test("demo - a replay changes nothing", async (t) => {
  const again = await demo({ platform, run: first.tag });
  t.ok(again.agrees, again.out);
  t.match(again.out, /transactions created +0 +0\n/);
  t.match(again.out, / created +0 +0\n/);
  t.match(again.out, / updated +0 +0\n/);
  t.equal(rewardsOf(again), rewardsOf(first));
});

t.test(
  "demo - a second run finds the retailers of the first, and its cards are empty at first",
  async (t) => {
    const second = await demo({ platform, events: FEWER });
    t.ok(second.agrees, second.out);
    const [{ retailers }] = await pipeline.store<[{ retailers: number }]>`
    select count(*)::int as retailers from platform.retailers`;
    t.equal(retailers, 2);
  },
);

t.test("demo - a wallet that is not as it should be is found and named", async (t) => {
  const { store } = pipeline;
  await store`
    update stamp_collections set unredeemed_purchases = unredeemed_purchases + 1
    where id = (
      select stamp_collections.id from stamp_collections
      join members on members.id = stamp_collections.member_id
      join memberbases on memberbases.id = members.memberbase_id
      where memberbases.name = ${`demo-${first.tag}`} limit 1)`;
  const again = await demo({ platform, run: first.tag, settleMs: 0 });
  t.notOk(again.agrees);
  t.match(again.out, /member m\d+ \(m_\w+\): Demo \w+ unredeemed \d instead of \d/);
  t.match(again.out, /DISAGREEMENT: .*stamps/);
});

t.test("demo - without a platform it says so and checks the rest", async (t) => {
  t.ok(withoutPlatform.agrees, withoutPlatform.out);
  t.match(withoutPlatform.err, /no platform runs here: stamps and cashbacks are left out\n/);
  t.equal(rewardsOf(withoutPlatform), "");
});

t.test("demo - where no platform answers it says so and checks the rest", async (t) => {
  const nowhere = { url: "http://127.0.0.1:1", token: platform.token };
  const { agrees, out, err } = await demo({ platform: nowhere, run: withoutPlatform.tag, events: FEWER });
  t.ok(agrees, out);
  t.match(err, /no platform answers at http:\/\/127.0.0.1:1: stamps and cashbacks are left out\n/);
});

t.test("demo - a run that was made without a platform is not rewarded when it is sent again", async (t) => {
  const again = await demo({ platform, run: withoutPlatform.tag, events: FEWER });
  t.ok(again.agrees, again.out);
  t.match(again.err, /this run was made without a platform/);
  t.equal(rewardsOf(again), "");
});

t.test("demo - a run that does not exist cannot be sent again", async (t) => {
  await t.rejects(demo({ run: "nosuchrun" }), { message: /no transaction of a run "nosuchrun"/ });
});

t.test("demo - a row that is not as it should be is found and named", async (t) => {
  const { tag } = withoutPlatform;
  const { store } = pipeline;
  const [{ id }] = await store<[{ id: string }]>`
    update transactions set amount = amount + 1
    where external_id = (
      select external_id from transactions
      where external_id ^@ ${`demo-${tag}-`} and state = 'cleared' and amount > 0 limit 1)
    returning external_id as id`;
  const again = await demo({ run: tag, events: FEWER, settleMs: 0 });
  t.notOk(again.agrees);
  t.match(again.out, new RegExp(`${id} differs in amount`));
  t.match(again.out, /sum of amounts, minor units .* differs/);
  t.match(again.out, /DISAGREEMENT: .*equal in every field/);
});

t.test("demo - a run whose members are gone cannot be sent again", async (t) => {
  const { store } = pipeline;
  const name = `demo-${withoutPlatform.tag}`;
  await store`update memberbases set deleted_at = now() where name = ${name}`;
  await t.rejects(demo({ run: withoutPlatform.tag }), { message: new RegExp(`no memberbase "${name}"`) });
});
