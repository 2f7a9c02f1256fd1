import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import t, { type Test } from "tap";
import { createTokenSecret } from "#domain";
import { type Pipeline, type Publisher, startPipeline, TcpProxy, waitFor } from "#test-support";
import { command } from "../test-command.ts";
import {
  commandProcess,
  event,
  IMPORT_MAIN,
  jsonl,
  type RunningCommand,
  startCommand,
  startOrganisation,
  stored,
  untilDone,
} from "./test-import.ts";

t.setTimeout(400_000);

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());
const organisation = (t: Test) => startOrganisation(t, pipeline);

/** Each step of a purchase in a separate row, and all first steps before all second ones. */
function steps(member: string, purchases: number): object[] {
  const numbers = Array.from({ length: purchases }, (_, i) => i);
  return [
    ...numbers.map((i) => event(member, i)),
    ...numbers.map((i) => event(member, i, { cleared_at: "2026-03-02T10:00:00Z" })),
  ];
}

const PURCHASES = 600;
const ROWS_OF_STEPS = 2 * PURCHASES;

async function allCleared(t: Test, publisher: Publisher) {
  const rows = await stored(pipeline, publisher);
  t.equal(rows.length, PURCHASES, "no row is missing, and none is there twice");
  t.ok(rows.every(({ state }) => state === "cleared"));
}

t.test(
  "import - Ctrl-C in the middle ends the import in order, and --resume goes on where it was",
  async (t) => {
    const { publisher, ids, access, write } = await organisation(t);
    const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
    // The whole file would take ten seconds: a busy machine looks late.
    const first = startCommand(t, ["import", file, "--rate", "120", ...access]);
    await untilDone(`${file}.checkpoint`, 120);
    // Stopped, it certainly runs until another import of the file has looked.
    first.child.kill("SIGSTOP");
    t.match(await command(["import", file, ...access]), {
      code: 1,
      err: new RegExp(`another import writes .*\\(process ${first.child.pid} on `),
    });
    first.child.kill("SIGCONT");
    first.child.kill("SIGINT");
    t.equal(await first.ended, 130, first.err());
    t.match(first.err(), "stopped: the same command with --resume goes on where it was");
    const checkpoint = JSON.parse(readFileSync(`${file}.checkpoint`, "utf8"));
    t.ok(checkpoint.rows >= 120 && checkpoint.rows < ROWS_OF_STEPS);
    const { code, out } = await command(["import", file, "--resume", ...access]);
    t.equal(code, 0);
    // The import waited for the requests under way, so it sent not one row twice.
    t.equal(out, "1,200 rows: 600 created, 600 updated, 0 unchanged, 0 rejected\n");
    await allCleared(t, publisher);
    const again = await command(["import", file, "--resume", ...access]);
    t.equal(again.code, 0);
    t.match(again.out, /^this import was complete at \S+Z; nothing is sent now. It came to:\n/);
    t.equal(again.out.slice(again.out.indexOf("\n") + 1), out, "the result of the run");
  },
);

t.test("import - killed in the middle, --resume leaves no row out and counts each once", async (t) => {
  const { publisher, ids, access, write, dir } = await organisation(t);
  const rows = steps(ids[0], PURCHASES).flatMap((row, i) => (i % 40 === 0 ? [row, event("m_x", i)] : [row]));
  const file = write("a.jsonl", jsonl(rows));
  const rejects = join(dir, "rejects.jsonl");
  const options = ["import", file, "--rejects", rejects, ...access];
  let resume: string[] = [];
  for (const done of [80, 360, 680]) {
    const running = startCommand(t, [...options, ...resume, "--rate", "200"]);
    await untilDone(`${file}.checkpoint`, done);
    running.child.kill("SIGKILL");
    await running.ended;
    resume = ["--resume"];
  }
  const { code, out, err } = await command([...options, "--resume"]);
  t.equal(code, 2, err);
  const [, created, updated, unchanged] =
    /^1,230 rows: ([\d,]+) created, ([\d,]+) updated, ([\d,]+) unchanged, 30 rejected\n/
      .exec(out)
      ?.map((text) => Number(text.replaceAll(",", ""))) ?? [];
  t.equal((created ?? 0) + (updated ?? 0) + (unchanged ?? 0), ROWS_OF_STEPS, out);
  await allCleared(t, publisher);
  const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
  const rejected = lines.map((line) => JSON.parse(line).row.external_id as string);
  t.strictSame(
    rejected,
    rows
      .filter((row) => (row as { member_id: string }).member_id === "m_x")
      .map((row) => (row as { external_id: string }).external_id),
  );
});

const FEW_ROWS = 40;
/** More calls than such a short import makes. */
const CALLS_MAX = 200;

/** Kills the process before its call number `nth` that changes files or their names. */
function killBefore(nth: number): string[] {
  const code = `
    import { promises } from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let calls = 0;
    const guarded = (owner, names) => {
      for (const name of names) {
        const call = owner[name];
        owner[name] = function (...parameters) {
          if (++calls === ${nth}) process.kill(process.pid, "SIGKILL");
          return call.apply(this, parameters);
        };
      }
    };
    const handle = await promises.open(process.execPath);
    guarded(Object.getPrototypeOf(handle), ["write", "sync", "truncate"]);
    await handle.close();
    guarded(promises, ["open", "rename", "link", "unlink", "writeFile"]);
    syncBuiltinESMExports();`;
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Resumes an import that was killed, and does what its messages say. */
async function finish(args: readonly string[], checkpoint: string) {
  for (let tries = 0; tries < 3; tries++) {
    const resume = existsSync(checkpoint) ? ["--resume"] : [];
    const run = await command([...args, ...resume]);
    const left = /remove (\S+)/.exec(run.err)?.[1];
    if (run.code !== 1 || left === undefined) return run;
    rmSync(left);
  }
  throw new Error("it cannot be ended");
}

t.test("import - killed before any call to a file, the next run loses and doubles nothing", async (t) => {
  const { publisher, ids, access, write, dir } = await organisation(t);
  const rows = Array.from({ length: FEW_ROWS }, (_, i) => event(i % 4 === 0 ? "m_x" : ids[0], i));
  const refused = rows.filter((_, i) => i % 4 === 0).map(({ external_id }) => external_id);
  let killed = 0;
  for (let nth = 1; nth <= CALLS_MAX; nth++) {
    const text = jsonl(rows);
    const file = write(`in-${nth}.jsonl`, text);
    const rejects = join(dir, `rejects-${nth}.jsonl`);
    const args = ["import", file, "--rejects", rejects, ...access];
    const first = await commandProcess(t, args, { nodeFlags: killBefore(nth), main: IMPORT_MAIN });
    const isKilled = first.code === null;
    if (isKilled) killed++;
    const last = isKilled ? await finish(args, `${file}.checkpoint`) : first;
    const told = readFileSync(rejects, "utf8").trimEnd().split("\n");
    t.match({ nth, ...last }, { code: 2, out: /(?:^|\n)40 rows: .* 10 rejected\n/ });
    t.strictSame(
      told.map((line) => JSON.parse(line).row.external_id),
      refused,
      `killed before call ${nth}`,
    );
    t.equal(readFileSync(file, "utf8"), text, "the input is unchanged");
    if (!isKilled) break;
  }
  t.ok(killed > 10, `${killed} calls`);
  t.equal((await stored(pipeline, publisher)).length, FEW_ROWS - refused.length);
});

t.test("import - several files are one import, with one checkpoint", async (t) => {
  const { publisher, ids, access, write } = await organisation(t);
  const all = steps(ids[0], PURCHASES);
  // The second file holds nearly all rows, so that `waitFor` sees it being read.
  const parts = [all.slice(0, 40), all.slice(40, -40), all.slice(-40)];
  const files = parts.map((part, i) => write(`${i}.jsonl`, jsonl(part)));
  const first = startCommand(t, ["import", ...files, "--rate", "400", ...access]);
  await waitFor(() => JSON.parse(readFileSync(`${files[0]}.checkpoint`, "utf8")).input === 1, {
    message: "the second file is read",
  });
  first.child.kill("SIGINT");
  t.equal(await first.ended, 130);
  const { code, out } = await command(["import", ...files, "--resume", ...access]);
  t.strictSame([code, out], [0, "1,200 rows: 600 created, 600 updated, 0 unchanged, 0 rejected\n"]);
  await allCleared(t, publisher);
});

/** A separate API, which can be killed and come back at the same address. */
async function killableApi(t: Test) {
  let edge = await pipeline.start("edge");
  const proxy = await TcpProxy.start(edge.url as string);
  t.teardown(() => proxy.close());
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    kill: async () => {
      await edge.kill();
      proxy.refuse();
    },
    back: async () => {
      edge = await pipeline.start("edge");
      proxy.leadTo(edge.url as string);
      proxy.thaw();
    },
  };
}

async function endsWell(t: Test, running: RunningCommand, publisher: Publisher) {
  t.equal(await running.ended, 0, running.err());
  t.match(running.out(), /^1,200 rows: .* 0 rejected\n$/);
  await allCleared(t, publisher);
}

t.test("import - the API is killed: the import waits, and continues when it is back", async (t) => {
  const { publisher, ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const api = await killableApi(t);
  const options = ["import", file, "--url", api.url, "--token-file", join(dir, "token")];
  const running = startCommand(t, [...options, "--rate", "200"]);
  await untilDone(`${file}.checkpoint`, 120);
  await api.kill();
  await api.back();
  await endsWell(t, running, publisher);
});

t.test("import - the API stays away: --resume continues when it is back", async (t) => {
  const { publisher, ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const api = await killableApi(t);
  const options = ["import", file, "--url", api.url, "--token-file", join(dir, "token")];
  const running = startCommand(t, [...options, "--rate", "200"]);
  await untilDone(`${file}.checkpoint`, 120);
  await api.kill();
  // The import cannot wait for requests under way now: a second Ctrl-C ends it at once.
  const isOver = () => running.child.signalCode !== null || !running.child.kill("SIGINT");
  await waitFor(isOver, { message: "it ends" });
  await running.ended;
  await api.back();
  await endsWell(t, startCommand(t, [...options, "--resume"]), publisher);
});

t.test("import - Ctrl-C ends the import at once while the service is away", async (t) => {
  const { ids, write, dir } = await organisation(t);
  const file = write("a.jsonl", jsonl(steps(ids[0], PURCHASES)));
  const nowhere = ["--url", "http://127.0.0.1:1", "--token-file", join(dir, "token")];
  await endsAtOnce(t, startCommand(t, ["import", file, ...nowhere]));
});

t.test("import - Ctrl-C ends it at once while members cannot be looked up, too", async (t) => {
  const { ids, memberbase, dir } = await organisation(t);
  const api = await killableApi(t);
  const checkpoint = join(dir, "pipe.checkpoint");
  const options = ["--format", "jsonl", "--member-base", memberbase, "--checkpoint", checkpoint];
  const access = ["--url", api.url, "--token-file", join(dir, "token")];
  const stdin = new PassThrough();
  const running = startCommand(t, ["import", "-", ...options, ...access], { stdin });
  // More than the beginning that is read at once.
  const { member_id: _, ...row } = event(ids[0], 1);
  stdin.write(jsonl(Array.from({ length: 600 }, () => ({ ...row, member_ref: "ada" }))));
  await untilDone(checkpoint, 1);
  await api.kill();
  stdin.write(jsonl([{ ...row, member_ref: "eve" }]));
  await endsAtOnce(t, running);
});

t.test("import - a refusal before the first row ends it, though its pipe stays open", async (t) => {
  const { ids, write } = await organisation(t);
  const token = write("another", createTokenSecret(randomBytes(32)));
  const stdin = new PassThrough();
  const access = ["--url", pipeline.edge.url as string, "--token-file", token];
  const running = startCommand(t, ["import", "-", "--format", "jsonl", ...access], { stdin });
  // Little more than the beginning that is read at once, so that more is asked of the pipe.
  stdin.write(jsonl(Array.from({ length: 600 }, () => event(ids[0], 1))).slice(0, 66_000));
  t.equal(await running.ended, 1, running.err());
  t.match(running.err(), /token/);
});

async function endsAtOnce(t: Test, running: RunningCommand) {
  await waitFor(() => running.err().includes("waiting for the service"), { message: "it waits" });
  running.child.kill("SIGINT");
  // Less than the time for which it would wait for events under way.
  t.equal(await running.ended, 130, running.err());
  t.match(running.err(), "stopped: the same command with --resume goes on where it was");
}

t.test(
  "import - ingest is killed: the import asks for batches that were answered 202 until they are processed",
  async (t) => {
    const { publisher, ids, access, write, dir } = await organisation(t);
    const rows = steps(ids[0], PURCHASES);
    const file = write("a.jsonl", jsonl([...rows, event(ids[1], 1)]));
    const rejects = join(dir, "rejects.jsonl");
    const options = ["import", file, "--rejects", rejects, "--rate", "600", ...access];
    const running = startCommand(t, options);
    await untilDone(`${file}.checkpoint`, 120);
    const askedBefore = await batchesAskedFor();
    await pipeline.ingest.kill();
    // No event is applied now: requests are answered 202 after a while, and their batches are pending.
    await waitFor(async () => (await batchesAskedFor()) > askedBefore, {
      message: "a batch is asked for",
    });
    await pipeline.start("ingest");
    t.equal(await running.ended, 2, running.err());
    t.match(running.out(), /^1,201 rows: .* [1-9][\d,]* applied, 1 rejected\n/);
    await allCleared(t, publisher);
    t.match(JSON.parse(readFileSync(rejects, "utf8")), { line: 1201, reason: "identity_mismatch" });
  },
);

async function batchesAskedFor(): Promise<number> {
  const { body } = await pipeline.edge.ops("/metrics");
  const samples = body.split("\n").filter((line) => /^stampede_http_requests_total\{.*batch\/get/.test(line));
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
