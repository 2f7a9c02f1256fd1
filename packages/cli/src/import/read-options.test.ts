import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../test-command.ts";

const ROW = '{"external_id":"tx-1"}\n';

function stage(t: Test) {
  const dir = t.testdir({
    "a.jsonl": ROW,
    "b.txt": ROW,
    "map.json": '{\n  "colums": {}\n}',
    token: "token",
    empty: "",
  });
  const file = (name: string) => join(dir, name);
  const env = { STAMPEDE_DATA_DIR: file("none") };
  return { file, run: (...args: string[]) => runCommand(["import", ...args], env) };
}

t.test("import - mistakes of the command line are reported on one line, with the remedy", async (t) => {
  const { file, run } = stage(t);
  const access = ["--url", "http://127.0.0.1:1", "--token-file", file("token")];
  const mistakes: ReadonlyArray<readonly [args: readonly string[], message: RegExp]> = [
    [
      [file("a.jsonl"), "--dry-run", "--resume"],
      /^--dry-run sends nothing, so there is nothing to --resume$/,
    ],
    [[file("a.jsonl"), "--member-base", "ada"], /^--member-base takes the id of a memberbase, mb_…/],
    [["-", "-", "--format", "csv"], /^standard input \(-\) can be read once$/],
    [["-", "--format", "csv", "--resume"], /^give --checkpoint: standard input has no name/],
    [
      [file("a.jsonl"), "--map", file("no.json")],
      /^cannot read the map .*no\.json \(ENOENT, no such file or folder\)$/,
    ],
    [
      [file("a.jsonl"), "--map", file("map.json")],
      /map\.json:2:13: colums is not known: there are columns, constants/,
    ],
    [[file("a.jsonl")], /^nothing runs on .*none: give --url and --token-file, or run `npm start`/],
    [[file("a.jsonl"), "--url", "localhost:8080"], /^--url takes an http or https address/],
    [[file("a.jsonl"), "--token-file", file("empty")], /empty is empty: --token-file takes a file/],
    [
      [file("a.jsonl"), "--token-file", file("no")],
      /^cannot read .*no \(ENOENT\): --token-file takes a file/,
    ],
    [[file("no.jsonl"), ...access], /^cannot read .*no\.jsonl \(ENOENT, no such file or folder\)$/],
    [[file("b.txt"), ...access], /b\.txt: its name does not tell the format: give --format \(csv, jsonl\)/],
  ];
  for (const [args, message] of mistakes) {
    await t.rejects(run(...args), { name: "CommandError", message }, args.join(" "));
  }
});

t.test("import - an unwritable file of rejected rows is reported before anything is sent", async (t) => {
  const { file, run } = stage(t);
  const args = [file("a.jsonl"), "--dry-run", "--rejects", join(file("none"), "r.jsonl")];
  await t.rejects(run(...args), {
    name: "CommandError",
    message: /^cannot write .* \(ENOENT, no such file or folder\)$/,
  });
});
