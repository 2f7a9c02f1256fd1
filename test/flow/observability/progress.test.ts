/**
 * A hop that has work and does not move says so within seconds, with the cause in words, although PostgreSQL
 * and NATS answer: in `/readyz?verbose`, in its metric, and in `stampede status`.
 */
import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { Change, readServiceHops, Scrape } from "#status";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

let pipeline: Pipeline;
let client: PublisherClient;
let member: string;
t.before(async () => {
  pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  [member] = (await client.enrol("ada")) as [string];
});

async function progressOf(): Promise<{ ready: boolean; ok: boolean; detail: string }> {
  const { ready, checks } = JSON.parse((await pipeline.ingest.ops("/readyz?verbose")).body);
  return { ready, ...checks.progress };
}

async function hopOf(service: string) {
  const scrape = new Scrape((await pipeline.ingest.ops("/metrics")).body);
  const now = { sources: [{ url: "http://127.0.0.1:1", at: 1000, scrape }], silent: [] };
  return readServiceHops(new Change(now, now)).find(({ hop }) => hop === service);
}

/** Sends one event that is stored but cannot be applied, and waits until ingest says that it stands. */
async function untilStanding(): Promise<string> {
  const answer = await client.post(
    "transaction/ingest",
    { events: [makeEvent(member)] },
    { prefer: "respond-async" },
  );
  t.equal(answer.status, 202);
  await waitFor(async () => !(await progressOf()).ok, {
    deadlineMs: 30_000,
    message: "ingest says that it stands",
  });
  return (await progressOf()).detail;
}

const untilMoving = () =>
  waitFor(async () => (await progressOf()).ok, { deadlineMs: 60_000, message: "ingest moves again" });

t.test("progress - a full disk is reported in the server's words, and the process stays ready", async (t) => {
  const { store } = pipeline;
  await store`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;
  await store`create trigger no_room before insert on transactions execute function no_room()`;
  const detail = await untilStanding();
  t.match(
    detail,
    /^INGEST has work and has not moved for \d+ s \(disk: could not extend file: No space left on device\): free/,
  );
  t.ok((await progressOf()).ready, "to take it out of service would mend nothing");
  t.match(await hopOf("ingest"), {
    state: "not ready",
    notes: [/^INGEST has not moved for \d+ s \(disk\): could not extend file/],
  });
  await store`drop trigger no_room on transactions`;
  await store`drop function no_room`;
  await untilMoving();
  t.match((await hopOf("ingest"))?.notes, []);
});

t.test("progress - a missing right is reported with the command that grants it", async (t) => {
  const { store } = pipeline;
  await store`create function no_right() returns trigger language plpgsql as
    $$ begin raise exception 'permission denied for table transactions' using errcode = '42501'; end $$`;
  await store`create trigger no_right before insert on transactions execute function no_right()`;
  t.match(
    await untilStanding(),
    /\(right: permission denied for table transactions\): run `stampede migrate`/,
  );
  await store`drop trigger no_right on transactions`;
  await store`drop function no_right`;
  await untilMoving();
});

t.test(
  "progress - a locked table is reported with the session that locks it, its age and its statement",
  async (t) => {
    const other = connectStore({ url: pipeline.databaseUrl, max: 1, applicationName: "psql" });
    t.teardown(() => closeStore(other));
    let pid = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const locked = other.begin(async (sql) => {
      [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await sql`lock table transactions in access exclusive mode`;
      await released;
    });
    await waitFor(() => pid !== 0, { message: "the table is locked" });
    await untilStanding();
    await waitFor(async () => /\(lock: /.test((await progressOf()).detail), {
      deadlineMs: 30_000,
      message: "the lock is told",
    });
    t.match(
      (await progressOf()).detail,
      new RegExp(
        `lock: session ${pid} \\(psql, role \\w+, since \\S+Z, "lock table transactions in access exclusive mode"\\) holds .*` +
          `select pg_terminate_backend\\(${pid}\\)`,
      ),
    );
    release();
    await locked;
    await untilMoving();
  },
);
