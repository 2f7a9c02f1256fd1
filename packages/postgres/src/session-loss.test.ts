import { connect, createServer, type Server, type Socket } from "node:net";
import t, { type Test } from "tap";
import { resetSocket, testServers, waitFor } from "#test-support";
import { closeStore, connectStore, type Store } from "./connect.ts";
import { classifyDatabaseError, type DatabaseErrorMeaning } from "./database-errors.ts";

/** Longer than a trivial statement takes on a busy machine. */
const PATIENT_MS = 1_000;

/** Stands between a store and its server, and can cut, reset or silence the connections. */
interface Wire {
  readonly store: Store;
  /** Another store on the same database, which does not use the wire. */
  readonly observer: Store;
  readonly connections: Set<Socket>;
  /** While true new connections are closed at once. */
  refusing: boolean;
}

async function wire(t: Test, options: { max?: number; statementTimeoutMs?: number } = {}): Promise<Wire> {
  const target = new URL(await (await testServers()).databaseUrl());
  const connections = new Set<Socket>();
  const state = { refusing: false };
  const server = createServer((near) => {
    if (state.refusing) return near.destroy();
    const far = connect(Number(target.port), target.hostname);
    connections.add(near);
    near
      .on("error", () => {})
      .on("close", () => {
        connections.delete(near);
        far.destroy();
      });
    far.on("error", () => {}).on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await listen(server);
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  const store = connectStore({ url: url.href, max: 2, applicationName: "test", ...options });
  const observer = connectStore({ url: target.href, max: 1, applicationName: "observer" });
  t.teardown(async () => {
    await Promise.all([closeStore(store), closeStore(observer)]);
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(state, { store, observer, connections });
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
}

/** Resolves once this many statements sleep in the server; before that there is nothing to lose. */
async function untilAsleep({ observer }: Wire, statements: number): Promise<void> {
  await waitFor(
    async () => {
      const [{ count }] = await observer<[{ count: number }]>`
        select count(*) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep' and query like '%pg_sleep(%'`;
      return count === statements;
    },
    { message: `${statements} statements sleep in the server` },
  );
}

/** The meaning of the error of failing work; undefined if it does not fail. */
async function meaningOf(work: PromiseLike<unknown>): Promise<DatabaseErrorMeaning | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return classifyDatabaseError(error);
  }
}

const CUTS: Record<string, (connection: Socket) => void> = {
  reset: resetSocket,
  closed: (connection) => connection.destroy(),
};

for (const [name, cut] of Object.entries(CUTS)) {
  t.test(`session - ${name} under statements that are retried immediately, all are answered`, async (t) => {
    const proxy = await wire(t);
    const { store, connections } = proxy;
    let lost = 0;
    let cutting = true;
    const persist = async (id: number) => {
      for (;;) {
        try {
          // The first two have the connections, and sleep until these are cut; the others wait in line.
          const seconds = cutting && id <= 2 ? 30 : 0;
          return await store<{ id: number }[]>`select ${id}::int as id from pg_sleep(${seconds})`;
        } catch (error) {
          if (++lost > 100 || classifyDatabaseError(error) !== "unavailable") throw error;
        }
      }
    };
    for (let round = 1; round <= 3; round++) {
      cutting = true;
      const work = [1, 2, 3, 4, 5, 6].map(persist);
      await untilAsleep(proxy, 2);
      cutting = false;
      for (const connection of connections) cut(connection);
      const rows = await Promise.all(work);
      t.strictSame(rows.flat(), [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }, { id: 6 }]);
      t.equal(lost, 2 * round);
    }
  });

  t.test(`session - ${name} in a transaction, it fails and nothing of it runs elsewhere`, async (t) => {
    const proxy = await wire(t, { max: 1 });
    const { store, connections } = proxy;
    await store.script("create table rows (id int)");
    for (const moment of ["during a statement", "between statements", "before the commit"]) {
      const transaction = store.begin(async (sql) => {
        await sql`insert into rows values (1)`;
        const statement = moment === "during a statement" ? sql`select pg_sleep(30)`.then() : undefined;
        statement?.catch(() => {});
        if (statement !== undefined) await untilAsleep(proxy, 1);
        const [connection] = connections;
        if (connection !== undefined) cut(connection);
        await waitFor(() => connections.size === 0, { message: "the connection is gone" });
        await statement;
        if (moment === "between statements") await sql`insert into rows values (2)`;
      });
      t.equal(await meaningOf(transaction), "unavailable", moment);
    }
    t.strictSame(await store`select * from rows`, []);
  });
}

t.test("session - an idle connection that was cut is replaced", async (t) => {
  const { store, connections } = await wire(t);
  await Promise.all([store`select 1`, store`select 1`]);
  for (const connection of connections) resetSocket(connection);
  await waitFor(() => connections.size === 0, { message: "the connections are gone" });
  await waitFor(() => store`select 1`.then(() => true), { message: "a new connection" });
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});

t.test("session - a server that hangs up on every connection is unavailable, not waited for", async (t) => {
  const proxy = await wire(t);
  proxy.refusing = true;
  for (let attempt = 0; attempt < 3; attempt++) {
    t.equal(await meaningOf(proxy.store`select 1`), "unavailable");
  }
  proxy.refusing = false;
  t.strictSame(await proxy.store`select 1 as one`, [{ one: 1 }]);
});

t.test("session - a closed port is unavailable immediately", async (t) => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const store = connectStore({
    url: `postgres://nobody@127.0.0.1:${port}/x`,
    max: 1,
    applicationName: "test",
  });
  await t.rejects(store`select 1`.then(), { code: "ECONNREFUSED" });
  await t.rejects(
    store.begin((sql) => sql`select 1`.then()),
    { code: "ECONNREFUSED" },
  );
  await closeStore(store);
});

t.test("session - the server cancels a slow statement, and the connection stays usable", async (t) => {
  const { store, connections } = await wire(t, { max: 1, statementTimeoutMs: PATIENT_MS });
  await t.rejects(store`select pg_sleep(30)`.then(), { code: "57014" });
  const [before] = connections;
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
  t.strictSame([...connections], [before]);
});

t.test("session - a server that falls silent is given up 5 s after it should have cancelled", async (t) => {
  const { store, connections } = await wire(t, { max: 1, statementTimeoutMs: PATIENT_MS });
  await store`select 1`;
  for (const connection of connections) connection.pause().unpipe();
  await t.rejects(store`select 1`.then(), { code: "NO_ANSWER" });
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});

t.test(
  "session - of statements that are sent together, each has the whole time for its answer",
  async (t) => {
    // An answer may take 6 s.
    const { store, connections } = await wire(t, { max: 1, statementTimeoutMs: PATIENT_MS });
    await store.begin(async (sql) => {
      await sql`set local statement_timeout = 0`;
      await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(2.2)`.send()));
    });
    t.equal(connections.size, 1);
  },
);

t.test("session - a server that falls silent behind an answer is given up", async (t) => {
  const proxy = await wire(t, { max: 1, statementTimeoutMs: PATIENT_MS });
  const work = proxy.store.begin(async (sql) => {
    await sql`set local statement_timeout = 0`;
    const answered = sql`select pg_sleep(2)`.send();
    await untilAsleep(proxy, 1);
    for (const connection of proxy.connections) connection.pause().unpipe();
    const unanswered = [1, 2].map(() => sql`select 1`.send());
    await answered;
    const ends = await Promise.allSettled(unanswered);
    t.match(ends, new Array(2).fill({ status: "rejected", reason: { code: "NO_ANSWER" } }));
  });
  await t.rejects(work, { code: "NO_ANSWER" });
});
