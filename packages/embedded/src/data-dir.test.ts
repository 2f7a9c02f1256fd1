import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t from "tap";
import { waitFor } from "#test-support";
import { lockDataDir } from "./data-dir.ts";
import { identify } from "./processes.ts";

const module = new URL("./data-dir.js", import.meta.url).href;

t.test("lock - a second instance is refused by name and address", async (t) => {
  const dir = t.testdir();
  const lock = lockDataDir(dir);
  t.throws(() => lockDataDir(dir), {
    code: "data_dir_in_use",
    message: new RegExp(`process ${process.pid}\\)`),
  });
  lock.announce("http://127.0.0.1:8080");
  t.throws(() => lockDataDir(dir), { message: /at http:\/\/127.0.0.1:8080\): stop it \(kill \d+\)/ });
  lock.release();
  lockDataDir(dir).release();
  t.strictSame(readdirSync(dir), []);
});

t.test(
  "lock - a directory that every user may write to is refused before anything is read from it",
  async (t) => {
    const dir = t.testdir({ "encryption-key": "planted" });
    chmodSync(dir, 0o777);
    t.throws(() => lockDataDir(dir), { code: "data_dir_not_private", message: /chmod go-w/ });
    t.strictSame(readdirSync(dir), ["encryption-key"]);
    chmodSync(dir, 0o775);
    lockDataDir(dir).release();
  },
);

t.test(
  "lock - a full disk is named, and nothing is left there",
  { skip: !existsSync("/dev/full") },
  async (t) => {
    const dir = t.testdir();
    symlinkSync("/dev/full", join(dir, `lock.${process.pid}`));
    t.throws(() => lockDataDir(dir), { code: "data_dir_full", message: /is full: free disk space/ });
    t.strictSame(readdirSync(dir), []);
  },
);

const isRoot = process.getuid?.() === 0;
t.test("lock - a directory that a foreign group may write to is refused", { skip: !isRoot }, async (t) => {
  const dir = t.testdir();
  chownSync(dir, 0, 12_345);
  chmodSync(dir, 0o770);
  t.throws(() => lockDataDir(dir), { code: "data_dir_not_private", message: /users of group 12345/ });
  chmodSync(dir, 0o750);
  lockDataDir(dir).release();
});

t.test("lock - is lost with its directory, and its holder knows", async (t) => {
  const dir = join(t.testdir(), "data");
  const lock = lockDataDir(dir);
  t.ok(lock.isHeld());
  lock.announce("http://127.0.0.1:8080");
  t.ok(lock.isHeld());
  renameSync(dir, `${dir}.moved`);
  t.notOk(lock.isHeld(), "moved");
  const next = lockDataDir(dir);
  t.ok(next.isHeld());
  t.notOk(lock.isHeld(), "another directory is under its name");
  lock.release();
  t.ok(next.isHeld(), "and is left alone");
  next.release();
});

t.test(
  "lock - of a copied directory: the message says so, and does not suggest killing the other",
  async (t) => {
    const dir = join(t.testdir(), "data");
    const lock = lockDataDir(dir);
    cpSync(dir, `${dir}.copy`, { recursive: true });
    t.throws(() => lockDataDir(`${dir}.copy`), {
      code: "data_dir_copied",
      message: new RegExp(`was copied from .*data while Stampede ran there \\(process ${process.pid}\\)`),
    });
    lock.release();
  },
);

t.test("lock - of a killed process does not block the next one", async (t) => {
  const dir = t.testdir();
  const script = `(await import(${JSON.stringify(module)})).lockDataDir(process.argv[1]); process.kill(process.pid, 9)`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script, dir]);
  t.equal(signal, "SIGKILL");
  t.ok(existsSync(join(dir, "lock")));
  lockDataDir(dir).release();
});

t.test("lock - has no holder if its pid is now another process", async (t) => {
  const dir = t.testdir({ lock: JSON.stringify({ ...identify(process.pid), startedAt: "before" }) });
  lockDataDir(dir).release();
});

t.test("lock - has no holder if it was cut short by a power loss", async (t) => {
  const dir = t.testdir({ lock: '{"pid":12' });
  lockDataDir(dir).release();
});

t.test("lock - of several concurrent starts on a dead instance's directory, one wins", async (t) => {
  const dir = t.testdir();
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(module)});
    process.stdin.once("data", () => {
      try { lockDataDir(process.argv[1]); console.log("won"); } catch (error) { console.log(error.code); }
      process.stdin.once("data", () => process.exit());
    });
    console.log("ready");`;
  const args = ["--input-type=module", "-e", script, dir];
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, args));
  const lines: string[][] = children.map(() => []);
  for (const [index, child] of children.entries()) {
    createInterface({ input: child.stdout }).on("line", (line) => lines[index]?.push(line));
  }
  await waitFor(() => lines.every((said) => said.includes("ready")), { message: "all children up" });
  writeFileSync(join(dir, "lock"), JSON.stringify({ pid: 1, startedAt: "before" }));
  for (const child of children) child.stdin.write("go\n");
  await waitFor(() => lines.every((said) => said.length === 2), { message: "all children done" });
  t.equal(lines.filter((said) => said[1] === "won").length, 1);
  t.equal(lines.filter((said) => said[1] === "data_dir_in_use").length, children.length - 1);
  const exits = children.map((child) => once(child, "exit"));
  for (const child of children) child.stdin.end("end\n");
  await Promise.all(exits);
});

t.test("lock - the error for a directory that cannot be created has advice", async (t) => {
  const dir = t.testdir({ file: "" });
  const expected = { code: "data_dir_not_writable", message: /STAMPEDE_DATA_DIR/ };
  t.throws(() => lockDataDir(join(dir, "file", "data")), expected);
});
