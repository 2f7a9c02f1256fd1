import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { recordProcess } from "#embedded";
import { type Pipeline, waitFor } from "#test-support";
import { startTestAllInOne, type TestAllInOne } from "../test-all-in-one.ts";
import { runCommand } from "../test-command.ts";

let pipeline: Pipeline;
let allInOne: TestAllInOne;
t.before(async () => {
  allInOne = await startTestAllInOne();
  pipeline = allInOne.pipeline;
});

const dataDirectory = (t: Test) =>
  allInOne.dataDirectory(t, { consoleUrl: "http://127.0.0.1:8070/console/" });

t.test("demo - a purchase, a load through a kill of ingest, and every number agrees", async (t) => {
  const dataDir = dataDirectory(t);
  const recordFile = join(dataDir, "ingest.process.json");
  const killed = pipeline.ingest.child;
  recordProcess(recordFile, killed.pid ?? 0);
  // As the all-in-one start does it.
  killed.once("exit", async () => {
    recordProcess(recordFile, (await pipeline.start("ingest")).child.pid ?? 0);
  });
  const { code, out } = await runCommand(["demo", "--seconds", "6"], { STAMPEDE_DATA_DIR: dataDir });
  t.equal(code, 0, out);
  t.match(out, /^machine: \d+ × .*, Node \d+\.\d+\.\d+, HTTP by \S+\ndurability: PostgreSQL 1\d.* fsync o/);
  t.match(out, / ms {2}Ada pays 4\.50 EUR by card/);
  t.match(out, /webhook qualifying_purchase\.created: her third stamp of three\n/);
  t.match(out, /webhook cashback\.created: 5\.00 EUR for the full card\n/);
  t.match(out, /webhook cashback\.cleared: the 5\.00 EUR are hers\n/);
  t.match(out, /the stamp was at the webhook \d+ ms after the payment\n/);
  t.match(out, /the money was at the webhook \d+ ms after the clearing\n/);
  // On a busy machine a second may pass without a commit: `live-lines.test.ts` checks the bar and the times.
  t.match(out, /\n +\d+ +[\d,]+ {2}[█ ]+(?:\d+ ms +\d+ ms +)?[\d.]+ s +[\d,]+\n/, "a line for a second");
  t.match(out, new RegExp(`kill -9 of ingest, process ${killed.pid}\n`));
  t.equal(killed.signalCode, "SIGKILL");
  t.match(out, /ingest was started again as process \d+, after [\d.]+ s\n/);
  t.match(out, /[\d,]+ events\/s committed, the middle of all seconds/);
  const numbers = ["purchases stored", "cleared", "stamps", "full cards redeemed", "cashback\\.cleared"];
  for (const name of numbers) {
    const [, own, found] = new RegExp(`  ${name} +([0-9,]+) +([0-9,]+)\n`).exec(out) ?? [];
    t.ok(Number(own?.replaceAll(",", "")) > 0 && found === own, `${name}: ${found} of ${own}`);
  }
  t.match(out, /\nsent = stored, nothing lost, nothing twice\n/);
  t.match(out, /See it in the console: http:\/\/127\.0\.0\.1:8070\/console\/ /);
  t.match(out, /\nwatch it: http:\/\/127\.0\.0\.1:8070\/console\/#link=[\w-]{43}\n/);
  const [{ webhooks }] = await pipeline.store<[{ webhooks: number }]>`
    select count(*)::int as webhooks from webhooks`;
  t.equal(webhooks, 0, "its webhook is gone");
});

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));

/** Of the organisation, in all states. */
const webhooks = async () => (await pipeline.store`select from webhooks`).length;

t.test("demo - Ctrl-C leaves no webhook behind, whenever it comes", async (t) => {
  const moments: Readonly<Record<string, (said: () => string) => Promise<unknown>>> = {
    "as soon as its webhook is there": () =>
      waitFor(async () => (await webhooks()) > 0, { message: "no webhook" }),
    "under load": (said) => waitFor(async () => /\n +\d+ +[\d,]+ {2}█/.test(said()), { message: "no load" }),
  };
  for (const [moment, comes] of Object.entries(moments)) {
    t.equal(await webhooks(), 0);
    // In a separate process group, as a terminal makes one: Ctrl-C reaches every process of it.
    const child = spawn(process.execPath, [MAIN, "demo", "--seconds", "60"], {
      detached: true,
      env: { ...process.env, STAMPEDE_DATA_DIR: dataDirectory(t) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    await comes(() => out);
    process.kill(-(child.pid as number), "SIGINT");
    await once(child, "close");
    t.equal(await webhooks(), 0, moment);
  }
});

t.test("demo - lost and changed rows are named, and the exit code is 1", async (t) => {
  await pipeline.store.script(`
    create function lose() returns trigger language plpgsql as $$
    begin delete from transactions where external_id = new.external_id; return null; end $$;
    create trigger lose after insert on transactions for each row
      when (new.external_id like 'stampede-demo-%-000000042') execute function lose();
    create function change() returns trigger language plpgsql as $$
    begin new.amount = new.amount + 1; return new; end $$;
    create trigger change before insert on transactions for each row
      when (new.external_id like 'stampede-demo-%-000000043') execute function change();
    create function overpay() returns trigger language plpgsql as $$
    begin new.amount = new.amount + 1; return new; end $$;
    create trigger overpay before insert on cashbacks for each row
      when (new.transaction_ref like 'stampede-demo-%') execute function overpay();
  `);
  const env = { STAMPEDE_DATA_DIR: dataDirectory(t) };
  const { code, out } = await runCommand(["demo", "--seconds", "2"], env);
  t.equal(code, 1, out);
  t.match(out, /no process of ingest is recorded here: none is killed\n/);
  t.match(out, /\n {2}1 purchases were sent and are not stored\n/);
  t.match(out, /stampede-demo-\w+-000000043 is not stored as it was sent\n/);
  t.match(out, /their sum in cents +[\d,]+ +[\d,]+ {2}← differs\n/);
  t.match(out, /\nDISAGREEMENT: purchases stored, as they were sent, in every field, their sum in cents\n/);
  t.notMatch(out, /nothing lost/);
});
