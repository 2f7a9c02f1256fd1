import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import { freePort } from "./free-port.ts";
import { processesIn } from "./processes.ts";
import { type RunningPostgres, startPostgres } from "./start-postgres.ts";

const log = (): void => {};
const isRoot = process.getuid?.() === 0;
/** Each new cluster takes a second, on a busy machine several. */
t.setTimeout(400_000);

/** Outside the checkout, whose own permissions would otherwise be part of the test. */
function temporaryDir(t: Pick<Test, "teardown">, mode = 0o711): string {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "stampede-embedded-"));
  chmodSync(dir, mode);
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The cluster of the first test; later tests that need no cluster of their own use it too, one at a time. */
const shared = temporaryDir(t);

async function start(t: Test, options: Parameters<typeof startPostgres>[0]): Promise<RunningPostgres> {
  const server = await startPostgres(options);
  t.teardown(() => server.stop());
  return server;
}

async function query(url: string, text: string): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

t.test("postgres - an interrupted first start heals at the next one", async (t) => {
  const dataDir = shared;
  mkdirSync(join(dataDir, "cluster.new", "data"), { recursive: true });
  writeFileSync(join(dataDir, "cluster.new", "data", "PG_VERSION"), "18\n");
  const server = await start(t, { dataDir, log });
  t.ok(await query(server.url, "select 1"));
  t.notOk(existsSync(join(dataDir, "cluster.new")));
});

t.test(
  "postgres - is durable, on loopback only, and keeps its data over a restart and a crash",
  async (t) => {
    const dataDir = shared;
    const first = await start(t, { dataDir, log });
    const [settings] = await query(
      first.url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
       current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets`,
    );
    const expected = {
      fsync: "on",
      commit: "on",
      pages: "on",
      checksums: "on",
      addresses: "127.0.0.1",
      sockets: "",
    };
    t.strictSame({ ...settings }, expected);
    await query(first.url, "create table kept (id int); insert into kept values (1)");
    await first.stop();
    t.strictSame(await first.exited, { code: 0, signal: null });

    const second = await start(t, { dataDir, log });
    await query(second.url, "insert into kept values (2)");
    second.kill("SIGKILL");
    await second.exited;

    const third = await start(t, { dataDir, log, port: second.port });
    t.equal(third.url, second.url, "the address and the password stay");
    t.strictSame([...(await query(third.url, "select id from kept order by id"))], [{ id: 1 }, { id: 2 }]);
  },
);

t.test("postgres - a server left behind by a crash is ended before the next one starts", async (t) => {
  const dataDir = shared;
  const first = await start(t, { dataDir, log });
  const said: string[] = [];
  const second = await start(t, { dataDir, log: (message) => said.push(message) });
  t.strictSame(await first.exited, { code: 0, signal: null });
  t.match(said, [/ending one that a crash left behind/]);
  t.ok(await query(second.url, "select 1"));
});

t.test(
  "postgres - a stale postmaster.pid that names a living process does not block the start",
  async (t) => {
    const dataDir = shared;
    const first = await start(t, { dataDir, log });
    await first.stop();
    const stranger = spawn("sleep", ["60"], isRoot ? { uid: 65534, gid: 65534 } : {});
    t.teardown(() => stranger.kill("SIGKILL"));
    const pidFile = join(dataDir, "cluster", "data", "postmaster.pid");
    writeFileSync(pidFile, `${stranger.pid}\n${dataDir}\n1700000000\n5432\n\n127.0.0.1\n\n`);
    const second = await start(t, { dataDir, log });
    t.ok(await query(second.url, "select 1"));
  },
);

t.test("postgres - a shell that somebody left in the data directory is no server", async (t) => {
  const dataDir = shared;
  const cwd = join(dataDir, "cluster", "data");
  const shell = spawn("sleep", ["60"], { cwd });
  t.teardown(() => shell.kill("SIGKILL"));
  await start(t, { dataDir, log });
  t.strictSame([shell.exitCode, shell.signalCode], [null, null]);
});

t.test("postgres - data of another major version is refused and left alone", async (t) => {
  const dataDir = temporaryDir(t);
  const data = join(dataDir, "cluster", "data");
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "PG_VERSION"), "17\n");
  await t.rejects(startPostgres({ dataDir, log }), {
    code: "data_dir_other_version",
    message: /made by PostgreSQL 17 and this is 18: dump it with 17/,
  });
  t.strictSame(readdirSync(data), ["PG_VERSION"]);
});

t.test("postgres - a taken port is named, and nothing is left running", async (t) => {
  const dataDir = shared;
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  t.teardown(() => server.close());
  await t.rejects(startPostgres({ dataDir, port, log }), {
    code: "port_taken",
    message: `port ${port}, for PostgreSQL, is taken: stop what listens there, or take another port`,
  });
  t.strictSame(processesIn(join(dataDir, "cluster", "data")), []);
});

t.test("postgres - an unknown setting ends the start with PostgreSQL's own words", async (t) => {
  const dataDir = shared;
  await t.rejects(startPostgres({ dataDir, log, settings: { no_such_setting: "1" } }), {
    code: "server_failed",
    message: /ended while starting; see .*no_such_setting/,
  });
});

t.test("postgres - a start that is called off leaves nothing running", async (t) => {
  const dataDir = shared;
  const reason = new Error("called off");
  await t.rejects(startPostgres({ dataDir, log, signal: AbortSignal.abort(reason) }), reason);
  await waitFor(() => processesIn(join(dataDir, "cluster", "data")).length === 0, {
    message: "no process left",
  });
});

const needsRoot =
  isRoot && process.platform === "linux" ? {} : { skip: "only root is refused by PostgreSQL" };

t.test(
  "postgres - as root, runs as another user, also in a directory that is closed to that user",
  needsRoot,
  async (t) => {
    const dataDir = join(temporaryDir(t, 0o700), "data");
    const server = await start(t, { dataDir, log });
    const [row] = await query(server.url, "select pg_backend_pid() as pid");
    t.ok(row);
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    t.notMatch(status, /^Uid:\s+0/m);
    t.equal(
      /^CapEff:\s+(\S+)/m.exec(status)?.[1],
      "0000000000000004",
      "it may look through directories, nothing more",
    );
  },
);

t.test("postgres - as root, takes a copy that `cp -r` made, whose files are root's", needsRoot, async (t) => {
  const first = await start(t, { dataDir: shared, log });
  await query(first.url, "create table copied (id int); insert into copied values (7)");
  await first.stop();
  const dataDir = join(temporaryDir(t), "copy");
  execFileSync("cp", ["-r", shared, dataDir]);
  const server = await start(t, { dataDir, log });
  t.strictSame([...(await query(server.url, "select id from copied"))], [{ id: 7 }]);
});
