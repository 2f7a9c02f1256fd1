import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import t from "tap";
import { FileLock } from "./file-lock.ts";

/** The id of a process that has ended. */
const GONE = spawnSync(process.execPath, ["-e", ""]).pid;
const holder = (changes: object) =>
  JSON.stringify({ pid: GONE, host: hostname(), since: "2026-03-01", ...changes });

t.test("lock - one import at a time; the next one's message names the one to wait for", async (t) => {
  const dir = t.testdir({});
  const file = join(dir, "a.checkpoint");
  const lock = await FileLock.take(file);
  await t.rejects(FileLock.take(file), {
    name: "CommandError",
    message: new RegExp(
      `another import writes .*\\(process ${process.pid} on .*remove .*a\\.checkpoint\\.lock`,
    ),
  });
  await lock.release();
  await (await FileLock.take(file)).release();
  t.strictSame(readdirSync(dir), [], "nothing is left");
});

t.test("lock - the lock of a process that is gone is taken over, by one of many", async (t) => {
  const dir = t.testdir({});
  const file = join(dir, "a.checkpoint");
  for (let round = 0; round < 20; round++) {
    writeFileSync(`${file}.lock`, holder({}));
    const taken = await Promise.allSettled(Array.from({ length: 8 }, () => FileLock.take(file)));
    const locks = taken.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    t.equal(locks.length, 1, `round ${round}`);
    for (const one of taken) if (one.status === "rejected") t.match(one.reason, { name: "CommandError" });
    await locks[0]?.release();
    t.strictSame(readdirSync(dir), []);
  }
});

t.test(
  "lock - the lock of another machine stands, and so does a take-over that a crash cut short",
  async (t) => {
    const dir = t.testdir({});
    const file = join(dir, "a.checkpoint");
    writeFileSync(`${file}.lock`, holder({ host: "elsewhere" }));
    await t.rejects(FileLock.take(file), { message: /process \d+ on elsewhere/ });
    writeFileSync(`${file}.lock`, holder({}));
    writeFileSync(`${file}.lock.turn`, "");
    await t.rejects(FileLock.take(file), {
      message: /begins just now; if there is none, remove .*\.lock\.turn/,
    });
    t.ok(existsSync(`${file}.lock`));
  },
);

t.test("lock - of a process that is gone is taken over by a later one with the same pid", async (t) => {
  const dir = t.testdir({});
  const file = join(dir, "a.checkpoint");
  writeFileSync(`${file}.lock`, holder({ pid: process.pid, startedAt: "before" }));
  await (await FileLock.take(file)).release();
  t.strictSame(readdirSync(dir), []);
});

t.test("lock - a folder that cannot be written to is reported as such", async (t) => {
  const file = join(t.testdir({}), "gone", "a.checkpoint");
  await t.rejects(FileLock.take(file), {
    name: "CommandError",
    message: /cannot write .* \(ENOENT, no such file/,
  });
});
