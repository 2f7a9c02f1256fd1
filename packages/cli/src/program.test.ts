import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { command } from "./test-command.ts";
import { writeRunFile } from "./test-run-file.ts";

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

/**
 * Runs the command as a process, in an environment without this one's variables: for what only a process shows. All else
 * runs in this process, which takes a tenth of the time.
 */
function stampede(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

t.test("demo - without a running instance the message says what to run, on one line", async (t) => {
  const dataDir = t.testdir();
  const { status, stdout, stderr } = stampede(["demo"], { STAMPEDE_DATA_DIR: dataDir });
  t.equal(status, 1);
  t.equal(stdout, "");
  t.equal(
    stderr,
    `stampede: nothing runs on ${dataDir}: run \`npm start\` in another terminal, then this again\n`,
  );
});

t.test("demo - a record left behind by a crash is not taken for a running instance", async (t) => {
  const dataDir = t.testdir();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeRunFile(dataDir, { pid });
  t.match((await command(["demo"], { STAMPEDE_DATA_DIR: dataDir })).err, /nothing runs on/);
});

t.test("demo - without a token file the message says how to get one", async (t) => {
  const dataDir = t.testdir();
  writeRunFile(dataDir);
  const { code, err } = await command(["demo"], { STAMPEDE_DATA_DIR: dataDir });
  t.equal(code, 1);
  t.match(err, /cannot read .*token \(ENOENT\).*stampede token create/);
});

t.test("demo - a record of another version is refused", async (t) => {
  const dataDir = t.testdir();
  writeFileSync(join(dataDir, "run.json"), '{"pid":"1"}');
  t.match((await command(["demo"], { STAMPEDE_DATA_DIR: dataDir })).err, /not written by this version/);
});

t.test("migrate - without a database the message says how to name one", async (t) => {
  const { code, err } = await command(["migrate"], { STAMPEDE_DATA_DIR: t.testdir() });
  t.equal(code, 1);
  t.match(err, /^stampede: no database: set DATABASE_URL, or start Stampede with `npm start`.*\n$/);
});

t.test(
  "migrate - a database that does not answer is reported on one line, without its password",
  async (t) => {
    const { code, err } = await command(["migrate"], { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" });
    t.equal(code, 1);
    t.match(err, /^stampede: the database cannot be used: .*ECONNREFUSED.*\n$/);
    t.notMatch(err, "hunter2");
  },
);

t.test("token create - usage errors exit 1", async (t) => {
  t.match(stampede(["token", "create"]), { status: 1, stderr: /--organisation/ });
  t.match(stampede(["token", "create", "--organisation", "x", "--access", "admin"]), { status: 1 });
  t.match(stampede(["token", "create", "--platform", "--access", "read"]), {
    status: 1,
    stderr: /--platform/,
  });
});

t.test("dead-letter - without a NATS the message says how to name one", async (t) => {
  const { code, err } = await command(["dead-letter", "list"], { STAMPEDE_DATA_DIR: t.testdir() });
  t.equal(code, 1);
  t.match(err, /^stampede: no NATS: set NATS_URL, or start Stampede with `npm start`.*\n$/);
});

t.test(
  "dead-letter - a NATS that does not answer is reported on one line, without its password",
  async (t) => {
    const { code, err } = await command(["dead-letter", "list"], {
      NATS_URL: "nats://u:hunter2@127.0.0.1:1",
    });
    t.equal(code, 1);
    t.match(err, /^stampede: NATS does not answer at 127\.0\.0\.1:1.*\n$/);
    t.notMatch(err, "hunter2");
  },
);

t.test("dead-letter - the letters to change must be selected in one way only", async (t) => {
  const env = { NATS_URL: "nats://127.0.0.1:1" };
  for (const change of ["redrive", "discard"]) {
    for (const args of [[], ["--all", "7"], ["--all", "--reason", "x"], ["7", "--reason", "x"]]) {
      const { code, err } = await command(["dead-letter", change, ...args, "--yes"], env);
      t.equal(code, 1);
      t.match(err, /^stampede: name the sequences.*\n$/);
    }
    for (const wrong of ["0", "first"]) {
      const { code, err } = await command(["dead-letter", change, wrong], env);
      t.equal(code, 1);
      t.match(err, new RegExp(`^stampede: "${wrong}" is no sequence: .*\n$`));
    }
  }
});

t.test(
  "commands - an unknown variable causes a warning with the likely name, and the command runs",
  async (t) => {
    const { status, stdout, stderr } = stampede(["nats-accounts"], {
      STAMPEDE_NATS_EDGE_PASSWORD: "p1",
      STAMPEDE_NATS_INGEST_PASSWORD: "p2",
      STAMPEDE_PARTITION: "3",
      STAMPEDE_TURBO: "1",
    });
    t.equal(status, 0, stderr);
    t.match(stdout, "stampede");
    t.equal(stderr.trimEnd().split("\n").length, 4, "a line each");
    t.match(
      stderr,
      /^stampede: warning: STAMPEDE_PARTITION is not a setting: did you mean STAMPEDE_PARTITIONS\?$/m,
    );
    t.match(
      stderr,
      /^stampede: warning: STAMPEDE_NATS_EDGE_PASSWORD is not a setting: it is of NATS' environment/m,
    );
    t.ok(stderr.length < 1_000);
  },
);
