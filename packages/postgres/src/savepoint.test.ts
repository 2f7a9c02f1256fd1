import t from "tap";
import { testStore, waitFor } from "#test-support";
import type { Store, Transaction } from "./connect.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
  await store.script("create table things (id int primary key)");
});
t.beforeEach(async () => {
  await store`truncate things`;
});

const stored = async () =>
  (await store<{ id: number }[]>`select id from things order by id`).map(({ id }) => id);

t.test("savepoint - its statements are committed with the transaction", async (t) => {
  const result = await store.begin(async (sql) => {
    await sql`insert into things values (1)`;
    const nested = await sql.savepoint(async (sql) => {
      await sql`insert into things values (2)`;
      return "done";
    });
    await sql`insert into things values (3)`;
    return nested;
  });
  t.equal(result, "done");
  t.strictSame(await stored(), [1, 2, 3]);
});

t.test("savepoint - an error undoes its statements, and the transaction continues", async (t) => {
  const refusal = new Error("no");
  await store.begin(async (sql) => {
    await sql`insert into things values (1)`;
    const failing = sql.savepoint(async (sql) => {
      await sql`insert into things values (2)`;
      throw refusal;
    });
    t.equal(await failing.catch((error: unknown) => error), refusal);
    await sql`insert into things values (3)`;
  });
  t.strictSame(await stored(), [1, 3]);
});

t.test("savepoint - a failed statement undoes it too, even one that was caught", async (t) => {
  await store.begin(async (sql) => {
    await sql`insert into things values (1)`;
    const twice = (sql: Pick<Transaction, "script">) => sql.script("insert into things values (2), (2)");
    await t.rejects(sql.savepoint(twice), { code: "23505" });
    const caught = sql.savepoint(async (sql) => {
      await sql`insert into things values (2)`;
      await twice(sql).catch(() => {});
    });
    await t.rejects(caught, { code: "23505" });
    const explained = sql.savepoint(async (sql) => {
      await twice(sql).catch(() => {
        throw new Error("there already");
      });
    });
    await t.rejects(explained, { message: "there already" });
    await sql`insert into things values (3)`;
  });
  t.strictSame(await stored(), [1, 3]);
});

t.test("savepoint - a failure outside still undoes everything", async (t) => {
  const failing = store.begin(async (sql) => {
    await sql.savepoint((sql) => sql`insert into things values (2)`.then());
    throw new Error("no");
  });
  await t.rejects(failing, { message: "no" });
  t.strictSame(await stored(), []);
});

t.test("savepoint - its statements end with it, and with the transaction around it", async (t) => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let late: Promise<unknown> | undefined;
  const { nested } = await store.begin(async (sql) => {
    const nested = await sql.savepoint(async (sql) => sql);
    late = sql.savepoint(async (sql) => {
      await released;
      await sql`insert into things values (2)`;
    });
    late.catch(() => {});
    return { nested };
  });
  await t.rejects(nested`insert into things values (1)`.then(), { message: /over/ });
  release();
  await t.rejects(late as Promise<unknown>, { message: /over/ });
  t.strictSame(await stored(), []);
});

t.test("savepoint - a connection that is lost in it fails the transaction", async (t) => {
  const failing = store.begin(async (sql) => {
    await sql`insert into things values (1)`;
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const lost = sql.savepoint(async (sql) => {
      await sql`insert into things values (2)`;
      await store`select pg_terminate_backend(${pid}::int)`;
      await sql`insert into things values (3)`;
    });
    await t.rejects(lost);
  });
  await t.rejects(failing);
  await waitFor(async () => (await stored()).length === 0, { message: "everything is rolled back" });
});
