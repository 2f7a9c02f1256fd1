import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { StampedeClient } from "#client";
import { waitFor } from "#test-support";
import type { RunFile } from "../../services/standalone/src/announce.ts";
import { dataDirectory, startInstance } from "../../services/standalone/src/test-instance.ts";
import { showsLoadAndStandstill } from "./status-under-load.ts";

/**
 * Every program in `examples/`, run as its first lines say, and the commands of two guides, against an
 * all-in-one; and what `stampede status` shows of that.
 */

t.setTimeout(400_000);

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const STAMPEDE = join(ROOT, "dist/packages/cli/src/main.js");

/** The folder in which the programs run: its `.stampede` is the data directory. */
let folder: string;
let env: NodeJS.ProcessEnv;
let client: StampedeClient;
let run: RunFile;
t.before(async () => {
  folder = dataDirectory(t);
  run = await startInstance(t, join(folder, ".stampede")).ready();
  env = { PATH: process.env.PATH, STAMPEDE_URL: run.publisherUrl, STAMPEDE_PLATFORM_URL: run.platformUrl };
  client = new StampedeClient({
    baseUrl: run.publisherUrl,
    token: readFileSync(run.tokenFile, "utf8").trim(),
  });
});
t.teardown(() => client?.close());

const compiled = (name: string) => join(ROOT, "dist/examples", `${name}.js`);
const source = (name: string) => join(ROOT, "examples", name);

function runProgram(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** A program that runs until the test stops it. */
async function startProgram(t: Test, name: string, ...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [compiled(name), ...args], {
    cwd: folder,
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const exited = once(child, "exit");
  t.teardown(() => child.kill("SIGKILL"));
  const interrupt = async () => {
    child.kill("SIGINT");
    t.strictSame(await exited, [0, null]);
  };
  return { printed: () => stdout, interrupt };
}

/** A purchase of the member with this ref that earns a stamp. */
function simulate(t: Test, member: string): void {
  const args = [STAMPEDE, "simulate", "purchase", "--member", member];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, STAMPEDE_DATA_DIR: join(folder, ".stampede") },
    encoding: "utf8",
  });
  t.equal(status, 0, stdout + stderr);
}

t.test("examples - this file runs each of them, and the list names it", async (t) => {
  const list = readFileSync(source("README.md"), "utf8");
  const programs = readdirSync(join(ROOT, "examples")).filter(
    (name) => !/^memberbase|\.md$|\.jsonl$/.test(name),
  );
  t.strictSame(programs.sort(), [
    "first-purchase.sh",
    "first-purchase.ts",
    "first_purchase.py",
    "load.mjs",
    "pull-events.ts",
    "receive-webhooks.ts",
    "reconcile-day.ts",
    "stream-file.ts",
  ]);
  for (const name of programs) t.match(list, name.replace(/\.ts$/, ".js"));
});

t.test("examples - under a load of new transactions every request is answered 200", async (t) => {
  const { status, stdout, stderr } = runProgram(process.execPath, source("load.mjs"), "3", "5", "1");
  t.equal(status, 0, stdout + stderr);
  t.match(
    stdout,
    /^machine: \d+ × .*\n3 connections, 5 events a request, .*\n(\d+) requests\/s, (\d+) events\/s\n/,
  );
  t.match(stdout, /; 0 answered otherwise, 0 not at all\n$/);
});

const has = (command: string) => spawnSync(command, ["--version"]).status === 0;
const without = (command: string) => (has(command) ? false : `not run here: there is no ${command}`);

const FIRST_PURCHASES = [
  { command: process.execPath, file: compiled("first-purchase"), skip: false },
  { command: "python3", file: source("first_purchase.py"), skip: without("python3") },
] as const;

for (const { command, file, skip } of FIRST_PURCHASES) {
  t.test(`examples - the first purchase by ${command.split("/").at(-1)}`, { skip }, async (t) => {
    t.match(runProgram(command, file), {
      status: 0,
      stdout: "the purchase is processed\nqualifying_purchase.created: 1 of 5 stamps\n",
      stderr: "",
    });
  });
}

t.test("examples - the first purchase by curl", { skip: without("curl") }, async (t) => {
  const { status, stdout, stderr } = runProgram("sh", source("first-purchase.sh"));
  t.equal(status, 0, stderr);
  const [answer = "", events = ""] = stdout.trim().split("\n");
  t.match(JSON.parse(answer), { status: "processed", created: 1 });
  t.match(JSON.parse(events), { data: [{ type: "qualifying_purchase.created", unredeemed_purchases: 1 }] });
});

t.test(
  "examples - a file is streamed, and a second time changes nothing; the day is reconciled",
  async (t) => {
    const file = source("purchases.jsonl");
    const rejected = "0195508e-5e00-7a01-8000-000000000003 rejected: invalid_transition\n";
    // The clearing has changed the amount of the authorization.
    const differs = "0195508e-5e00-7a01-8000-000000000001 is stored with another amount\n";
    const counts = (created: number, updated: number, unchanged: number, ignored = 0) =>
      `${JSON.stringify({ created, updated, unchanged, accepted: 0, rejected: 1, ignored })}\n`;
    const reconcile = () => runProgram(process.execPath, compiled("reconcile-day"), "2026-03-01", file);

    const before = reconcile();
    t.match(before, { status: 1, stdout: /000001 is missing\n[\s\S]*3 in the books, 3 to look at\n$/ });
    const first = runProgram(process.execPath, compiled("stream-file"), file);
    t.match(first, { status: 0, stdout: rejected + counts(3, 2, 0) });
    const again = runProgram(process.execPath, compiled("stream-file"), file);
    t.match(again, { status: 0, stdout: `${differs}${rejected}${counts(0, 0, 5, 1)}` });
    t.match(reconcile(), {
      status: 1,
      stdout:
        "0195508e-5e00-7a01-8000-000000000003 is cleared 8000 in the books, reverted 8000 here\n" +
        "3 in the books, 1 to look at\n",
    });
  },
);

t.test(
  "examples - webhooks are received and verified, and the program removes its webhook at its end",
  async (t) => {
    const receiver = await startProgram(t, "receive-webhooks");
    await waitFor(() => /whk_\w+ is called at/.test(receiver.printed()), { message: "it is registered" });
    simulate(t, "received");
    await waitFor(() => /^qualifying_purchase\.created simulated-/m.test(receiver.printed()), {
      message: `the event comes; so far: ${receiver.printed()}`,
    });
    await receiver.interrupt();
    t.strictSame((await client.call("webhook/list", {})).data, []);
  },
);

t.test("examples - events are pulled, and a second run goes on behind the first", async (t) => {
  simulate(t, "pulled");
  const refs = (text: string) =>
    text
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { event_id: string }).event_id);
  const pull = async (isEnough: (ids: readonly string[]) => boolean) => {
    const program = await startProgram(t, "pull-events");
    await waitFor(() => isEnough(refs(program.printed())), { message: "the events come" });
    await program.interrupt();
    return refs(program.printed());
  };
  const { data } = await client.call("event/list", {});
  const known = data.map(({ event_id }) => event_id);
  const first = await pull((ids) => ids.length >= known.length);
  t.strictSame(first, known);
  simulate(t, "pulled");
  const second = await pull((ids) => ids.length > 0);
  for (const id of second) t.notOk(first.includes(id));
});

/**
 * The blocks of commands of a guide, word for word except the addresses of `npm start`: the test has others.
 */
function commandsOf(guide: string): string[] {
  const text = readFileSync(join(ROOT, "docs", guide), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) =>
    commands
      .replace("http://127.0.0.1:8080", env.STAMPEDE_URL ?? "")
      .replace("http://127.0.0.1:8090", env.STAMPEDE_PLATFORM_URL ?? ""),
  );
}

function answersOf(t: Test, commands: string | undefined): Array<Record<string, unknown>> {
  const { status, stdout, stderr } = runProgram("sh", "-c", commands ?? "exit 1");
  t.match({ status, stderr }, { status: 0, stderr: "" });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

t.test("guides - the first call of integrating.md is answered", { skip: without("curl") }, async (t) => {
  const blocks = commandsOf("integrating.md");
  t.equal(blocks.length, 1);
  t.match(answersOf(t, blocks[0]), [{ data: Array, page: { more: false } }]);
});

t.test("guides - every request of support.md is answered", { skip: without("curl") }, async (t) => {
  const [publisher, platform, ...others] = commandsOf("support.md");
  t.equal(others.length, 0);
  const { id } = await client.createMemberbase("Customers of the guide");
  const [ada = ""] = await client.upsertMembers(id, [{ ref: "ada" }]);
  const card = { auth_code: "A1B2C3", network: "visa", bin: "457173", merchant_id: "COFFEE" } as const;
  const purchase = { member_id: ada, external_id: "COFFEE-1", authed_at: "2026-03-01T09:00:00Z", ...card };
  t.match(await client.ingest([purchase]), { status: "processed" });
  const [trace, found] = answersOf(t, publisher);
  t.match(trace, {
    transaction: { external_id: "COFFEE-1", member_id: ada },
    waiting: [{ code: "no_links" }],
  });
  const members = (found?.data ?? []) as ReadonlyArray<{ readonly id: string }>;
  t.ok(members.some((member) => member.id === ada));
  t.match(answersOf(t, platform), [{ routing: Object, verdicts: Array }]);
});

// The last one: it stops a service for a while.
t.test("status - shows an all-in-one under load, and one with a hop that stands still", (t) =>
  showsLoadAndStandstill(t, { ...run, dataDir: join(folder, ".stampede") }),
);
