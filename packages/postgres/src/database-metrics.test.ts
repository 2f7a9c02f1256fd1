import t, { type Test } from "tap";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { privatePostgres, testServers, waitFor } from "#test-support";
import { closeStore, connectStore } from "./connect.ts";
import { createDatabaseMetrics } from "./database-metrics.ts";
import { watchDatabase, weaknessOf } from "./watch-database.ts";

/** A measured store of at most `max` connections, and its metrics in the registry. */
async function measuredStore(t: Test, { max = 2, url }: { max?: number; url?: string } = {}) {
  const registry = createRegistry("edge", "1");
  const metrics = new MetricFactory(registry);
  const store = connectStore({
    url: url ?? (await (await testServers()).databaseUrl()),
    max,
    applicationName: "test",
    observer: createDatabaseMetrics(metrics).pool("main"),
  });
  t.teardown(() => closeStore(store));
  const samples = async (name: string) => {
    const metric = await registry.getSingleMetric(`stampede_database_${name}`)?.get();
    return (metric?.values ?? []) as Array<{
      metricName?: string;
      value: number;
      labels: Record<string, string | number>;
    }>;
  };
  const value = async (name: string, labels: Record<string, string> = {}) => {
    const wanted = Object.entries(labels);
    const found = (await samples(name)).filter((sample) =>
      wanted.every(([key, is]) => sample.labels[key] === is),
    );
    return found.length === 1 ? found[0]?.value : undefined;
  };
  const operations = async () => {
    const counts = (await samples("statement_duration_seconds")).filter(({ metricName }) =>
      metricName?.endsWith("_count"),
    );
    return Object.fromEntries(counts.map(({ labels, value }) => [labels.operation, value]));
  };
  return { store, metrics, samples, value, operations };
}

t.test(
  "database metrics - statements are timed by operation, those of transactions and copies too",
  async (t) => {
    const { store, operations } = await measuredStore(t);
    await store.script("create table things (id int, note text)");
    await store.begin(async (sql) => {
      for (const note of ["a", "insert into secrets"]) await sql`insert into things values (1, ${note})`;
      await sql.savepoint((sql) => sql`update things set note = ${"b"}`.then());
      await sql.copyIn("copy things from stdin", Buffer.from("2\tc\n"));
    });
    const rows = await store`select ${store`count(*)::int as count`} from things`;
    t.strictSame(rows, [{ count: 3 }]);
    // The outer text has no table: the piece within it has.
    await store`${store`select * from (${store`select note from things`}) as page`}`;
    t.strictSame(await operations(), {
      create: 1,
      begin: 1,
      "insert things": 2,
      savepoint: 1,
      "update things": 1,
      release: 1,
      copy: 1,
      commit: 1,
      "select things": 2,
    });
  },
);

t.test("database metrics - errors are counted by class, each once, and all classes are known", async (t) => {
  const { store, value, operations } = await measuredStore(t);
  await store.script("create table things (id int primary key)");
  await store`insert into things values (1)`;
  for (const meaning of ["retry", "unavailable", "refused", "bug"]) {
    t.equal(await value("errors_total", { class: meaning }), 0, meaning);
  }
  await t.rejects(store`insert into things values (1)`.then(), { code: "23505" });
  await t.rejects(store`select nothing from things`.then(), { code: "42703" });
  t.equal(await value("errors_total", { class: "refused" }), 1);
  t.equal(await value("errors_total", { class: "bug" }), 1);
  t.equal((await operations())["insert things"], 2, "one that failed took its time as well");
  await t.rejects(store`select pg_terminate_backend(pg_backend_pid())`.then());
  t.equal(await value("errors_total", { class: "unavailable" }), 1, "a lost connection, once");
});

t.test("database metrics - a deadlock counts as a retry", async (t) => {
  const { store, value } = await measuredStore(t);
  await store.script(
    "create table things (id int primary key, n int); insert into things values (1, 0), (2, 0)",
  );
  let arrived = 0;
  const both = (first: number, second: number) =>
    store.begin(async (sql) => {
      await sql`update things set n = n + 1 where id = ${first}`;
      arrived++;
      await waitFor(() => arrived === 2, { message: "both have their first row" });
      await sql`update things set n = n + 1 where id = ${second}`;
    });
  const results = await Promise.allSettled([both(1, 2), both(2, 1)]);
  t.equal(results.filter(({ status }) => status === "rejected").length, 1);
  t.equal(await value("errors_total", { class: "retry" }), 1);
});

t.test("database metrics - a pool reports how many callers wait, and how long", async (t) => {
  const { store, value, samples } = await measuredStore(t, { max: 1 });
  const callers = () => value("pool_waiting", { pool: "main" });
  t.equal(await callers(), 0, "known before the first");
  let release: (() => void) | undefined;
  const holding = store.begin(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  const waiting = store`select 1`.then();
  await waitFor(async () => (await callers()) === 1, { message: "one waits" });
  (await waitFor(() => release, { message: "the transaction is open" }))();
  await Promise.all([holding, waiting]);
  t.equal(await callers(), 0);
  const waits = await samples("pool_wait_duration_seconds");
  t.equal(waits.find(({ metricName }) => metricName?.endsWith("_count"))?.value, 2);
  t.equal(waits.find(({ labels }) => labels.le === 0.0001)?.value, 1, "the first did not wait");
});

t.test("database metrics - durability is reported, and so is a weakness", async (t) => {
  const server = await privatePostgres();
  t.teardown(() => server.remove());
  const { store, metrics, value } = await measuredStore(t, { url: server.url });
  const lines: string[] = [];
  const log = createLog({
    service: "test",
    level: "warn",
    destination: { write: (line: string) => void lines.push(line) },
  });
  const watch = await watchDatabase(store, metrics, log);
  t.teardown(() => watch.stop());
  t.match(watch.check(), { ok: true, detail: /^PostgreSQL \d+\S*, \d+ ms$/ });
  t.equal(await value("durable"), 1);
  await store`alter system set synchronous_commit = off`;
  await store`select pg_reload_conf()`;
  await waitFor(async () => (await value("durable")) === 0, {
    message: "the change is seen",
  });
  t.match(watch.check(), {
    ok: true,
    detail: /durability is weaker than promised: synchronous_commit is off$/,
  });
  t.equal(lines.filter((line) => line.includes("may lose")).length, 1, "and logged once");
});

t.test("durability - each weakness is named", async (t) => {
  const sound = { fsync: "on", synchronousCommit: "on", fullPageWrites: "on" };
  for (const synchronousCommit of ["on", "local", "remote_write", "remote_apply"]) {
    t.equal(weaknessOf({ ...sound, synchronousCommit }), undefined, synchronousCommit);
  }
  t.equal(
    weaknessOf({ fsync: "off", synchronousCommit: "off", fullPageWrites: "off" }),
    "fsync is off, synchronous_commit is off, full_page_writes is off",
  );
});
