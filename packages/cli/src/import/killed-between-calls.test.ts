/** The test kills the import before each of its calls to files, once for each; another run goes on. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { command } from "../test-command.ts";
import { commandProcess, event, jsonl, startOrganisation, stored } from "./test-import.ts";

t.setTimeout(400_000);

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
});
t.teardown(() => pipeline.stop());

const ROWS = 40;
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
  const { publisher, ids, access, write, dir } = await startOrganisation(t, pipeline);
  const rows = Array.from({ length: ROWS }, (_, i) => event(i % 4 === 0 ? "m_x" : ids[0], i));
  const refused = rows.filter((_, i) => i % 4 === 0).map(({ external_id }) => external_id);
  let killed = 0;
  for (let nth = 1; nth <= CALLS_MAX; nth++) {
    const text = jsonl(rows);
    const file = write(`in-${nth}.jsonl`, text);
    const rejects = join(dir, `rejects-${nth}.jsonl`);
    const args = ["import", file, "--rejects", rejects, ...access];
    const first = await commandProcess(t, args, { nodeFlags: killBefore(nth) });
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
  t.equal((await stored(pipeline, publisher)).length, ROWS - refused.length);
});
