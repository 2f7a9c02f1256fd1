import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type Checkpoint, checkIdentity, type ImportIdentity, loadCheckpoint } from "./checkpoint.ts";
import { Recorder } from "./recorder.ts";
import { RejectsFile } from "./rejects-file.ts";
import type { RowAt, RowResult } from "./row-result.ts";

const IDENTITY: ImportIdentity = {
  inputs: [{ name: "a.csv", format: "csv", size: 100, sha256: "aa" }],
  map_sha256: "bb",
  url: "http://127.0.0.1:8080",
  member_base: null,
  rejects: null,
};
const at = (ordinal: number): RowAt => ({ input: 0, ordinal, line: ordinal + 1, row: { bin: "4111" } });
const rejected = (reason: string): RowResult => ({
  outcome: "rejected",
  rejection: { code: "bad_request", reason },
});

async function begin(t: Test, dir: string, from?: Checkpoint) {
  const files = { checkpoint: join(dir, "a.checkpoint"), rejects: join(dir, "rejects.jsonl") };
  const rejects = await RejectsFile.open(files.rejects, from?.rejects_bytes ?? 0);
  const options = { checkpointFile: files.checkpoint, identity: IDENTITY, from, rejects, names: undefined };
  const recorder = new Recorder(options);
  t.teardown(() => recorder.close().catch(() => {}));
  return { recorder, files };
}

t.test(
  "recorder - the checkpoint counts the finished rows, and a file that only its owner can read has the rejected ones",
  async (t) => {
    const { recorder, files } = await begin(t, t.testdir());
    recorder.add(at(1), { outcome: "created" });
    recorder.add(at(2), rejected("bin must match"));
    await recorder.save();
    const checkpoint = (await loadCheckpoint(files.checkpoint)) as Checkpoint;
    t.match(checkpoint, {
      identity: IDENTITY,
      input: 0,
      rows: 2,
      is_complete: false,
      tally: { taken: { created: 1 }, rejected: [{ reason: "bin must match", count: 1, line: 3 }] },
      rejects_bytes: statSync(files.rejects).size,
    });
    t.notMatch(readFileSync(files.checkpoint, "utf8"), "4111", "it holds no data of a row");
    t.strictSame(JSON.parse(readFileSync(files.rejects, "utf8")), {
      line: 3,
      row: { bin: "4111" },
      code: "bad_request",
      reason: "bin must match",
    });
    t.equal(statSync(files.rejects).mode & 0o777, 0o600);
    t.equal(statSync(files.checkpoint).mode & 0o777, 0o600);
    t.notOk(existsSync(`${files.checkpoint}.new`));
  },
);

t.test("recorder - rejected rows that no checkpoint names are cut off, and written again", async (t) => {
  const dir = t.testdir();
  const first = await begin(t, dir);
  first.recorder.add(at(1), rejected("one"));
  await first.recorder.save();
  await first.recorder.close();
  // Killed after the rows were written and before the checkpoint was, in the middle of a line.
  appendFileSync(first.files.rejects, '{"line":3,"row":{"bin":"4111"},"code":"bad_re');
  const from = (await loadCheckpoint(first.files.checkpoint)) as Checkpoint;
  const second = await begin(t, dir, from);
  second.recorder.add(at(2), rejected("two"));
  second.recorder.add(at(3), { outcome: "created" });
  await second.recorder.save(true);
  const lines = readFileSync(first.files.rejects, "utf8").trimEnd().split("\n");
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ reason: "one" }, { reason: "two" }],
  );
  t.match(await loadCheckpoint(first.files.checkpoint), {
    rows: 3,
    is_complete: true,
    tally: { taken: { created: 1 }, rejected: [{ reason: "one" }, { reason: "two" }] },
  });
});

t.test("recorder - a file of rejected rows that has lost some is not continued", async (t) => {
  const dir = t.testdir();
  const { recorder, files } = await begin(t, dir);
  recorder.add(at(1), rejected("one"));
  await recorder.save();
  writeFileSync(files.rejects, "");
  const from = (await loadCheckpoint(files.checkpoint)) as Checkpoint;
  await t.rejects(begin(t, dir, from), { name: "CommandError", message: /import without --resume/ });
});

t.test("recorder - a disk failure is thrown, and not only in the background", async (t) => {
  const dir = t.testdir();
  const { recorder } = await begin(t, dir);
  const options = { identity: IDENTITY, from: undefined, rejects: undefined, names: undefined };
  const nowhere = new Recorder({ ...options, checkpointFile: join(dir, "gone", "a.checkpoint") });
  t.teardown(() => nowhere.close());
  nowhere.add(at(1), { outcome: "created" });
  await t.rejects(nowhere.save(), {
    message: /cannot write the checkpoint .* \(ENOENT, no such file or folder\)/,
  });
  await recorder.save();
});

t.test("recorder - rejected rows that could not be written are in no later checkpoint", async (t) => {
  const dir = t.testdir();
  const checkpoint = join(dir, "a.checkpoint");
  const full = {
    bytes: 0,
    append: () => Promise.reject(new Error("no space left")),
    close: () => Promise.resolve(),
  } as unknown as RejectsFile;
  const options = { checkpointFile: checkpoint, identity: IDENTITY, from: undefined, names: undefined };
  const recorder = new Recorder({ ...options, rejects: full });
  t.teardown(() => recorder.close());
  recorder.add(at(1), rejected("one"));
  await t.rejects(recorder.save(), { message: "no space left" });
  recorder.add(at(2), { outcome: "created" });
  await t.rejects(recorder.save(), { message: "no space left" }, "the error of the failed write");
  await t.rejects(recorder.save(true), { message: "no space left" });
  t.throws(() => recorder.throwIfFailed(), { message: "no space left" });
  t.notOk(existsSync(checkpoint));
});

t.test("checkpoint - a changed input or option is named", async (t) => {
  const [input] = IDENTITY.inputs as [ImportIdentity["inputs"][0]];
  const changes: ReadonlyArray<readonly [Partial<ImportIdentity>, RegExp]> = [
    [{ inputs: [{ ...input, size: 90 }] }, /a\.csv had 100 bytes, and has 90 now/],
    [{ inputs: [{ ...input, sha256: "cc" }] }, /a\.csv has changed/],
    [{ inputs: [{ ...input, format: "jsonl" }] }, /a\.csv was read as csv, and not as jsonl/],
    [{ inputs: [input, input] }, /it is of 1 files, and there are 2 now/],
    [{ map_sha256: null }, /the map is another one/],
    [{ url: "http://127.0.0.1:9999" }, /an import to http:\/\/127\.0\.0\.1:8080, and not to/],
    [{ member_base: "mb_1" }, /--member-base \(none\)/],
    [{ rejects: "out" }, /--rejects \(none\)/],
  ];
  for (const [change, message] of changes) {
    t.throws(() => checkIdentity("a.checkpoint", IDENTITY, { ...IDENTITY, ...change }), { message });
  }
  checkIdentity("a.checkpoint", IDENTITY, { ...IDENTITY });
});

t.test("checkpoint - another kind of file is not taken for a checkpoint", async (t) => {
  const dir = t.testdir({ torn: '{"version":1,"identity":{"inp', other: '{"version":2}', none: "null" });
  for (const name of ["torn", "other", "none"]) {
    await t.rejects(loadCheckpoint(join(dir, name)), { message: /is no checkpoint of this version/ });
  }
  t.equal(await loadCheckpoint(join(dir, "absent")), undefined);
});
