/**
 * Operators' mistakes, each made on purpose in an installation where every service has its own role:
 * `stampede doctor` names each on one line, with its remedy, and says nothing else.
 */

import { utimesSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { connectStream, ensureTopology, type Stream, topologyOf } from "#nats";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { migratePublisher } from "#publisher-db";
import { createLog, makeEncryptionKey, readSettings, SecretBox } from "#runtime";
import {
  applyRoles,
  isolation,
  type PrivateNats,
  type PrivatePostgres,
  privateServers,
  serveHttp,
  waitFor,
} from "#test-support";
import { ARCHIVING, complaints, doctor } from "./test-doctor.ts";

const KEYS = makeEncryptionKey(new Date()).replace(/^k\d+/, "one");
const OTHER_KEYS = makeEncryptionKey(new Date()).replace(/^k\d+/, "one");
const MIB = 1024 * 1024;

let postgres: PrivatePostgres;
let nats: PrivateNats;
let databaseUrl: string;
let admin: Store;
let stream: Stream;
let env: Record<string, string>;
let dir: string;
let ops: OpsServer;

t.before(async () => {
  const servers = await privateServers(ARCHIVING);
  ({ postgres, nats } = servers);
  t.teardown(() => servers.remove());
  const adminUrl = await postgres.emptyDatabaseUrl();
  await applyRoles(adminUrl, "secret");
  const owner = new URL(adminUrl);
  [owner.username, owner.password] = ["stampede_owner", "secret"];
  databaseUrl = owner.href;
  await migratePublisher(databaseUrl);
  await migratePlatform(databaseUrl);
  admin = connectStore({ url: adminUrl, max: 1, applicationName: "stampede-test" });
  t.teardown(() => closeStore(admin));
  const prefix = isolation();
  const log = createLog({ service: "test", level: "silent" });
  stream = await connectStream({ url: nats.url, name: "test", prefix, log });
  t.teardown(() => stream.close());
  dir = t.testdir({ backup: "" });
  ops = await serveOperations(t);
  env = {
    STAMPEDE_STREAM_MAX_BYTES: String(8 * MIB),
    STAMPEDE_LINK_MAX_BYTES: String(8 * MIB),
    STAMPEDE_PARTITIONS: "2",
    STAMPEDE_CONSOLE_OPS_URLS: ops.url,
    STAMPEDE_BACKUP_DONE_FILE: join(dir, "backup"),
    DATABASE_URL: databaseUrl,
    NATS_URL: nats.url,
    STAMPEDE_NATS_MONITOR_URL: nats.monitorUrl,
    STAMPEDE_STREAM_PREFIX: prefix,
    STAMPEDE_ENCRYPTION_KEYS: KEYS,
    STAMPEDE_DATA_DIR: dir,
    STAMPEDE_HTTP_ADAPTER: "node",
  };
  await ensureTopology(stream, topologyOf(readSettings(env)));
});

interface OpsServer {
  readonly url: string;
  /** The answers of the process about itself; by default all is well. */
  keys: string;
  progress: { ok: boolean; detail: string };
}

/** A process that answers as a test wants. */
async function serveOperations(t: Pick<Test, "teardown">): Promise<OpsServer> {
  const said = { keys: KEYS, progress: { ok: true, detail: "every hop with work moves" } };
  const { url } = await serveHttp(t, (request, response) => {
    if (request.url?.startsWith("/readyz")) {
      response.end(JSON.stringify({ ready: true, checks: { progress: said.progress } }));
      return;
    }
    const lines = [...new SecretBox(said.keys).checkValues].map(
      ([key, check]) => `stampede_encryption_key_info{key="${key}",check="${check}",service="webhooks"} 1\n`,
    );
    response.end(`stampede_ready{service="webhooks"} 1\n${lines.join("")}`);
  });
  return Object.assign(said, { url });
}

/** A URL with one part changed. */
function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

interface Mistake {
  readonly what: string;
  /** Changes of the environment. */
  readonly env?: () => Record<string, string>;
  /** Makes the mistake; returns a function that undoes it. */
  readonly make?: () => Promise<() => Promise<void> | void>;
  readonly says: RegExp;
}

const sql = (make: string, undo: string) => async () => {
  await admin.script(make);
  return async () => {
    await admin.script(undo);
  };
};

const MISTAKES: readonly Mistake[] = [
  {
    what: "a password of NATS' environment in the shell",
    env: () => ({ STAMPEDE_NATS_EDGE_PASSWORD: "p1" }),
    says: /^warn environment: STAMPEDE_NATS_EDGE_PASSWORD is not a setting: it is of NATS' environment, .* in NATS_URL/,
  },
  {
    what: "another number of partitions",
    env: () => ({ STAMPEDE_PARTITIONS: "4" }),
    says: /^fail streams: \w+INGEST_0 and 7 others: each was made with 2 partitions, not 4: set STAMPEDE_PARTITIONS=2/,
  },
  {
    what: "another size of streams",
    env: () => ({ STAMPEDE_STREAM_MAX_BYTES: String(16 * MIB) }),
    says: /^warn streams: \w+INGEST_0 and \d others?: each has max_bytes .* \(STAMPEDE_STREAM_MAX_BYTES\): the next start/,
  },
  {
    what: "another prefix of streams",
    env: () => ({ STAMPEDE_STREAM_PREFIX: "mistake_" }),
    says: /^warn streams: missing mistake_INGEST_0, .*: `stampede migrate` or the first start of a service makes them/,
  },
  {
    what: "the name of a database that is not there",
    env: () => ({ DATABASE_URL: changed(databaseUrl, (url) => (url.pathname = "/stampedo")) }),
    says: /^fail database: .*"stampedo" does not exist.*: correct the database's name at the end of its URL, or create/,
  },
  {
    what: "a wrong password of PostgreSQL",
    env: () => ({ DATABASE_URL: changed(databaseUrl, (url) => (url.password = "hunter2")) }),
    says: /^fail database: .*password.*: correct the user and the password in its URL$/,
  },
  {
    what: "a host of PostgreSQL that is not there",
    env: () => ({ DATABASE_URL: changed(databaseUrl, (url) => (url.hostname = "nowhere.invalid")) }),
    says: /^fail database: .*nowhere\.invalid.*: correct the host in its URL$/,
  },
  {
    what: "no monitoring port of NATS",
    env: () => ({ STAMPEDE_NATS_MONITOR_URL: "" }),
    says: /^warn nats durability: unknown: set STAMPEDE_NATS_MONITOR_URL$/,
  },
  {
    what: "a right that was revoked",
    make: sql(
      "revoke insert on public.transactions from stampede_ingest",
      "grant insert on public.transactions to stampede_ingest",
    ),
    says: /^fail rights: missing stampede_ingest: insert on public\.transactions: run `stampede migrate` as stampede_owner/,
  },
  {
    what: "a right of a column that was revoked",
    make: sql(
      "revoke update (redeemed_at) on public.clips from stampede_rewards",
      "grant update (redeemed_at) on public.clips to stampede_rewards",
    ),
    says: /^fail rights: missing stampede_rewards: update \(redeemed_at\) on public\.clips: run `stampede migrate`/,
  },
  {
    what: "a right that no role should have",
    make: sql(
      "grant select on public.webhook_secrets to stampede_console",
      "revoke select on public.webhook_secrets from stampede_console",
    ),
    says: /^warn rights: too many: stampede_console: select on public\.webhook_secrets: run `stampede migrate`/,
  },
  {
    what: "a right of the platform that was revoked",
    make: sql(
      "revoke select on platform.retailers from stampede_platform",
      "grant select on platform.retailers to stampede_platform",
    ),
    says: /^fail platform rights: missing stampede_platform: select on platform\.retailers: run `stampede migrate`/,
  },
  {
    what: "commits that are not waited for",
    make: sql(
      "alter role stampede_owner set synchronous_commit = 'off'",
      "alter role stampede_owner reset synchronous_commit",
    ),
    says: /^fail database durability: synchronous_commit off: .*; set to on in postgresql\.conf$/,
  },
  {
    what: "more writers than connections",
    env: () => ({ STAMPEDE_INGEST_WRITERS: "40" }),
    says: /^fail database connections: .* opens up to 84 of \d+: raise max_connections$/,
  },
  {
    what: "no encryption keys",
    env: () => ({ STAMPEDE_ENCRYPTION_KEYS: "" }),
    says: /^warn encryption keys: STAMPEDE_ENCRYPTION_KEYS is not set: edge and webhooks do not start without it$/,
  },
  {
    what: "a file of keys that is not there",
    env: () => ({ STAMPEDE_ENCRYPTION_KEYS: "", STAMPEDE_ENCRYPTION_KEYS_FILE: join(dir, "keys") }),
    says: /^fail environment: STAMPEDE_ENCRYPTION_KEYS_FILE names .*keys, which cannot be read \(ENOENT\): put the value there/,
  },
  {
    what: "a process with another key under the same id",
    make: async () => {
      ops.keys = OTHER_KEYS;
      return () => {
        ops.keys = KEYS;
      };
    },
    says: /^fail keys of processes: .*webhooks at 127\.0\.0\.1:\d+.* another key under the id one .*: give all the same STAMPEDE_ENCRYPTION_KEYS/,
  },
  {
    what: "a hop that is ready and does not move",
    make: async () => {
      ops.progress = {
        ok: false,
        detail: "INGEST has work and has not moved for 9 s (disk: no space): free space",
      };
      return () => {
        ops.progress = { ok: true, detail: "every hop with work moves" };
      };
    },
    says: /^fail services: 127\.0\.0\.1:\d+: progress: INGEST has work and has not moved .*: free space$/,
  },
  {
    what: "a process that does not answer",
    env: () => ({ STAMPEDE_CONSOLE_OPS_URLS: `${ops.url},http://127.0.0.1:1` }),
    says: /^fail services: http:\/\/127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
  },
  {
    what: "a backup of last week",
    make: async () => {
      const then = new Date(Date.now() - 7 * 86_400_000);
      utimesSync(join(dir, "backup"), then, then);
      return () => utimesSync(join(dir, "backup"), new Date(), new Date());
    },
    says: /^fail backup: the last one was done 168 h ago: look at the job that makes them/,
  },
  {
    what: "an archive that takes nothing",
    make: async () => {
      const look = () => admin<{ failed: boolean; done: boolean }[]>`
        select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failed,
          coalesce(last_archived_time > coalesce(last_failed_time, '-infinity'), false) as done
        from pg_stat_archiver`;
      const command = async (text: string) => {
        await admin.script(`alter system set archive_command = '${text}'`);
        await admin`select pg_reload_conf()`;
        // The archiver looks at once when a segment is full.
        await admin`select pg_logical_emit_message(true, 'test', 'a record')`;
        await admin`select pg_switch_wal()`;
      };
      await command("false");
      await waitFor(async () => (await look())[0]?.failed, { message: "archiving did not fail" });
      return async () => {
        await command("true");
        await waitFor(async () => (await look())[0]?.done, {
          message: "nothing is archived",
          deadlineMs: 120_000,
        });
      };
    },
    says: /^fail database archive: segment [0-9A-F]{24} of the log cannot be archived, .*: PostgreSQL's log says why; mend/,
  },
  {
    what: "a backup without a file that tells its time",
    env: () => ({ STAMPEDE_BACKUP_DONE_FILE: "" }),
    says: /^warn backup: none is known: set STAMPEDE_BACKUP_DONE_FILE to the file that your backup touches/,
  },
  {
    what: "a console that is open to all",
    env: () => ({ STAMPEDE_CONSOLE_HOST: "0.0.0.0" }),
    says: /^fail console: .*STAMPEDE_CONSOLE_HOST/,
  },
];

t.test("mistakes - without a mistake there is nothing to report", async (t) => {
  t.strictSame(complaints((await doctor(env)).lines), []);
});

for (const { what, env: more, make, says } of MISTAKES) {
  t.test(`mistakes - ${what}`, async (t) => {
    const undo = await make?.();
    try {
      const [line = "", ...others] = complaints((await doctor({ ...env, ...more?.() })).lines);
      t.match(line, says);
      t.strictSame(others, [], "one mistake is one line");
      t.notMatch(line, /hunter2/);
    } finally {
      await undo?.();
    }
  });
}
