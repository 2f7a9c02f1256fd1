import t from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { Terminal } from "../terminal.ts";
import { runDemo } from "./run-demo.ts";

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

/** Runs the demo against the pipeline; what it wrote is in `out` and `err`. */
async function demo(run?: string, settleMs?: number) {
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
    run,
    ...(settleMs !== undefined && { settleMs }),
  });
  return { agrees, out, err, tag: /--run ([0-9a-z]+)/.exec(out)?.[1] ?? "" };
}

t.test("demo - every number agrees, and a replay changes nothing", async (t) => {
  const first = await demo();
  t.ok(first.agrees, first.out);
  t.match(first.out, /every number agrees\n$/);
  t.match(first.out, /sent +10,000 +10,000\n/);
  t.match(first.err, /100 % +10,000 of 10,000 events/);

  const again = await demo(first.tag);
  t.ok(again.agrees, again.out);
  t.match(again.out, /transactions created +0 +0\n/);
  t.match(again.out, / created +0 +0\n/);
  t.match(again.out, / updated +0 +0\n/);
});

t.test("demo - a run that does not exist cannot be sent again", async (t) => {
  await t.rejects(demo("nosuchrun"), { message: /no transaction of a run "nosuchrun"/ });
});

t.test("demo - a row that is not as it should be is found and named", async (t) => {
  const { tag } = await demo();
  const { store } = pipeline;
  const [{ id }] = await store<[{ id: string }]>`
    update transactions set amount = amount + 1
    where external_id = (
      select external_id from transactions
      where external_id ^@ ${`demo-${tag}-`} and state = 'cleared' and amount > 0 limit 1)
    returning external_id as id`;
  const again = await demo(tag, 0);
  t.notOk(again.agrees);
  t.match(again.out, new RegExp(`${id} differs in amount`));
  t.match(again.out, /sum of amounts, minor units .* differs/);
  t.match(again.out, /DISAGREEMENT: .*equal in every field/);
});
