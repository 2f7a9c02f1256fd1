import { linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { checkFiles } from "./check-files.ts";
import { isCheckpoint } from "./checkpoint.ts";
import { areRejects, rowLine } from "./rejects-file.ts";

const LINE = rowLine(
  undefined,
  { input: 0, ordinal: 1, line: 2, row: { bin: "4111" } },
  { code: "x", reason: "y" },
);
const NAMED = rowLine('a "b".csv', { input: 0, ordinal: 1, line: 2, row: "z" }, { code: "x", reason: "y" });

const check = (inputs: string[], files: { map?: string; checkpoint?: string; rejects?: string }) =>
  checkFiles({
    inputs,
    map: files.map,
    written: [
      { option: "--checkpoint", file: files.checkpoint, isOwn: isCheckpoint },
      { option: "--rejects", file: files.rejects, isOwn: areRejects },
    ],
  });

t.test("files - an input is never overwritten, by any of its names", async (t) => {
  const dir = t.testdir({ "in.jsonl": "{}\n", "map.json": "{}", sub: {} });
  const input = join(dir, "in.jsonl");
  linkSync(input, join(dir, "hard"));
  symlinkSync(input, join(dir, "soft"));
  for (const name of ["in.jsonl", "hard", "soft", "sub/../in.jsonl"]) {
    const file = join(dir, name);
    t.throws(
      () => check([input], { rejects: file }),
      { name: "CommandError", message: /which is imported/ },
      name,
    );
    t.throws(
      () => check(["-", input], { checkpoint: file }),
      { message: /--checkpoint .* which is imported/ },
      name,
    );
  }
  const map = join(dir, "map.json");
  t.throws(() => check([input], { map, rejects: map }), { message: /which is the map: name another file/ });
  t.equal(readFileSync(input, "utf8"), "{}\n");
});

t.test("files - one file cannot serve two purposes, whether it exists or not", async (t) => {
  const dir = t.testdir({});
  mkdirSync(join(dir, "real"));
  symlinkSync(join(dir, "real"), join(dir, "link"));
  const files = { checkpoint: join(dir, "real/new"), rejects: join(dir, "link/new") };
  t.throws(() => check(["-"], files), { message: /is .*real\/new, which is written by --checkpoint/ });
  check(["-"], { ...files, rejects: join(dir, "link/other") });
  check(["-"], { rejects: join(dir, "nowhere/new") });
});

t.test("files - a file with other content, or one that is not regular, is not touched", async (t) => {
  const dir = t.testdir({
    notes: "my notes\n",
    empty: "",
    rejects: LINE,
    named: NAMED,
    checkpoint: '{\n  "version": 1',
  });
  const at = (name: string) => join(dir, name);
  t.throws(() => check(["-"], { rejects: at("notes") }), { message: /holds something else/ });
  t.throws(() => check(["-"], { rejects: at("checkpoint") }), { message: /holds something else/ });
  t.throws(() => check(["-"], { checkpoint: at("rejects") }), { message: /holds something else/ });
  t.throws(() => check(["-"], { rejects: "/dev/null" }), { message: /is not a regular file/ });
  t.throws(() => check(["-"], { checkpoint: dir }), { message: /is not a regular file/ });
  check(["-"], { checkpoint: at("checkpoint"), rejects: at("rejects") });
  check(["-"], { checkpoint: at("empty"), rejects: at("named") });
});
