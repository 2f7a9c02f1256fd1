import t from "tap";
import { testStore, waitFor } from "#test-support";
import type { Store, Transaction } from "./connect.ts";

let store: Store;

t.before(async () => {
  store = await testStore(2);
  await store.script("create table rows (id int constraint rows_pkey primary key, note text)");
});

const ids = async () => (await store<{ id: number }[]>`select id from rows order by id`).map(({ id }) => id);

t.test("store - int8 is an exact number or an error, and the connection goes on", async (t) => {
  const [row] = await store<[object]>`
    select 9007199254740991::int8 as most, array[-1, 2]::int8[] as list, null::int8 as none`;
  t.strictSame(row, { most: Number.MAX_SAFE_INTEGER, list: [-1, 2], none: null });
  await t.rejects(store`select 9007199254740992::int8`.then(), RangeError);
  t.strictSame(await store`select 1 as one`, [{ one: 1 }]);
});

t.test("store - statements are made of pieces, names and values", async (t) => {
  const condition = store`${store("r.id")} = any(${[1, 2]}::int[])`;
  await store`insert into rows values (1, ${undefined}), (2, ${"a'b"})`;
  const query = store`select r.* from ${store("rows")} r where ${condition} ${store`order by id`}`;
  t.strictSame(await query, [
    { id: 1, note: null },
    { id: 2, note: "a'b" },
  ]);
  await store`delete from rows`;
});

t.test("transaction - commits its statements, rolls back when the work throws", async (t) => {
  const result = await store.begin(async (sql) => {
    await sql`insert into rows values (1)`;
    return "result";
  });
  t.equal(result, "result");
  await t.rejects(
    store.begin(async (sql) => {
      await sql`insert into rows values (2)`;
      throw new Error("changed my mind");
    }),
    { message: "changed my mind" },
  );
  t.strictSame(await ids(), [1]);
  await store`delete from rows`;
});

t.test("transaction - a failed statement fails it, even if the work did not mind", async (t) => {
  await t.rejects(
    store.begin(async (sql) => {
      await sql`insert into rows values (3)`;
      await sql`insert into rows values (3)`.catch(() => {});
    }),
    { code: "23505" },
  );
  t.strictSame(await ids(), []);
});

t.test(
  "transaction - statements that are sent together run in that order, up to the first that fails",
  async (t) => {
    const insert = (sql: Transaction, ids: readonly number[]) =>
      Promise.all(ids.map((id) => sql`insert into rows values (${id}, ${"x".repeat(2000)})`.send()));
    const order = await store.begin(async (sql) => {
      // Prepared from here on, so that the statements below do not wait for each other.
      await insert(sql, [0]);
      await insert(sql, [5, 3, 4]);
      return sql<{ id: number }[]>`select id from rows order by ctid`;
    });
    t.strictSame(
      order.map(({ id }) => id),
      [0, 5, 3, 4],
    );
    await t.rejects(
      store.begin((sql) => insert(sql, [6, 3, 7])),
      { code: "23505" },
      "the first error is the one that is thrown",
    );
    t.strictSame(await ids(), [0, 3, 4, 5]);
    await store`delete from rows`;
  },
);

t.test("transaction - one that the server rolls back at commit was not committed", async (t) => {
  await store.script(
    "create table checked (id int constraint checked_pkey primary key deferrable initially deferred)",
  );
  await t.rejects(
    store.begin(async (sql) => {
      await sql`insert into checked values (1)`;
      await sql`insert into checked values (1)`;
    }),
    { code: "23505" },
  );
  t.strictSame(await store`select * from checked`, []);
});

t.test("transaction - a statement after its end is refused", async (t) => {
  let late: (() => Promise<unknown>) | undefined;
  await store.begin(async (sql) => {
    late = () => sql`insert into rows values (4)`.then();
  });
  await t.rejects((late as () => Promise<unknown>)(), { message: /is over/ });
  t.strictSame(await ids(), []);
});

t.test("transaction - takes the isolation it asks for", async (t) => {
  const level = await store.begin("isolation level repeatable read read only", async (sql) => {
    const [row] = await sql<[{ level: string }]>`select current_setting('transaction_isolation') as level`;
    return row.level;
  });
  t.equal(level, "repeatable read");
});

t.test("store - no more connections than allowed; a caller without one waits", async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => index);
  const pids = await Promise.all(
    names.map(async (name) => {
      const [row] = await store<[{ pid: number; name: number }]>`
        select pg_backend_pid() as pid, ${name}::int as name from pg_sleep(0.01)`;
      t.equal(row.name, name);
      return row.pid;
    }),
  );
  t.equal(new Set(pids).size, 2);
});

t.test("store - closing lets work finish and refuses new work", async (t) => {
  const closing = await testStore(1);
  await closing`select 1`;
  const running = closing`select 1 as one from pg_sleep(0.2)`.then();
  const waiting = closing`select 2`.then();
  const closed = closing.close();
  await t.rejects(waiting, { code: "CONNECTION_ENDED" });
  t.strictSame(await running, [{ one: 1 }]);
  await closed;
  await t.rejects(closing`select 3`.then(), { code: "CONNECTION_ENDED" });
  await waitFor(
    async () => {
      const [{ count }] = await store<[{ count: number }]>`
        select count(*) from pg_stat_activity where query like '%pg_sleep(0.2)%' and pid <> pg_backend_pid()`;
      return count === 0;
    },
    { message: "the connection of the closed store ends" },
  );
});
