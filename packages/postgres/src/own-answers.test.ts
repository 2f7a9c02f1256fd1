import fc from "fast-check";
import t from "tap";
import { testServers, testStore } from "#test-support";
import type { Sql, Store } from "./connect.ts";
import { Session } from "./session.ts";
import { createTag } from "./statement.ts";

/*
 * A statement gets its own answer, whatever failed before it on the same connection, and at whichever row.
 * fast-check prints the seed and the path of a failure.
 */

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 40), seed: Number(process.env.FC_SEED ?? 5) };

/** The kinds of statements; the number is how many rows they have, or the row at which they fail. */
type Step = readonly [keyof typeof STEPS, number];

/** A statement, and its answer or the code that it must fail with. */
interface Case {
  readonly send: (sql: Sql) => Promise<unknown>;
  readonly answer?: unknown;
  readonly code?: string;
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const linesOf = (tag: number, values: readonly unknown[]) =>
  Buffer.from(values.map((value) => `${tag}\t${value}\n`).join(""));

/** @param tag unique to this statement; each of its rows has it */
const STEPS = {
  reads: (tag: number, rows: number): Case => ({
    send: (sql) => sql`select ${tag}::int as tag, i from generate_series(1, ${rows}::int) i`.send(),
    answer: numbers(rows).map((i) => ({ tag, i })),
  }),
  writes: (tag: number, rows: number): Case => ({
    send: (sql) =>
      sql`
      with written as (
        insert into things select ${tag}::int, i from generate_series(1, ${rows}::int) i returning tag, i
      )
      select * from written`.send(),
    answer: numbers(rows).map((i) => ({ tag, i })),
  }),
  changes: (tag: number, rows: number): Case => ({
    send: (sql) =>
      sql`insert into things select ${tag}::int, i from generate_series(1, ${rows}::int) i`.send(),
    answer: [],
  }),
  /** Its command has no count. */
  shows: (): Case => ({
    send: (sql) => sql`show server_encoding`.send(),
    answer: [{ server_encoding: "UTF8" }],
  }),
  copies: (tag: number, rows: number): Case => ({
    send: async (sql) => {
      await sql.copyIn("copy things from stdin", linesOf(tag, numbers(rows)));
      return sql`select i from things where tag = ${tag} order by i`;
    },
    answer: numbers(rows).map((i) => ({ i })),
  }),
  divides: (tag: number, at: number): Case => ({
    send: (sql) =>
      sql`
      select ${tag}::int as tag, 1 / (${at}::int - i) from generate_series(1, 4000) i`
        .unprepared()
        .send(),
    code: "22012",
  }),
  "is cancelled": (tag: number, at: number): Case => ({
    send: (sql) =>
      sql`
      select ${tag}::int as tag, case when i = ${at}::int then pg_cancel_backend(pg_backend_pid()) end
      from generate_series(1, 4000) i`.send(),
    code: "57014",
  }),
  "writes twice": (tag: number, at: number): Case => ({
    send: (sql) =>
      sql`
      insert into things select ${tag}::int, i % ${at}::int from generate_series(0, ${at}::int) i
      returning tag, i`.send(),
    code: "23505",
  }),
  "copies wrongly": (tag: number, at: number): Case => ({
    send: (sql) => sql.copyIn("copy things from stdin", linesOf(tag, [...numbers(at), "x"])),
    code: "22P02",
  }),
  /** A failed script undoes its `set`. */
  "times out": (): Case => ({
    send: (sql) =>
      sql.script("set statement_timeout = 15; select i, pg_sleep(0.001 * i) from generate_series(1, 100) i"),
    code: "57014",
  }),
};

const size = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
  fc.integer({ min: 1, max: 2000 }),
);
/** A copy cannot be sent together with other statements. */
const pipelined: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom("reads", "writes", "changes", "shows", "divides", "is cancelled", "writes twice"),
  size,
);
const alone: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom("copies", "copies wrongly", "times out"), size);
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: pipelined }, alone), { maxLength: 8 });

let lastTag = 0;
const caseOf = ([name, size]: Step): Case => STEPS[name](++lastTag, size);

/** @throws Error unless it ends as expected, or fails with `code` instead */
async function check(
  running: Promise<unknown>,
  { answer, code }: Pick<Case, "answer" | "code">,
): Promise<void> {
  const [ending] = await Promise.allSettled([running]);
  const found =
    ending.status === "fulfilled" ? { answer: ending.value } : { code: ending.reason.code ?? ending.reason };
  const expected = code === undefined ? { answer } : { code };
  if (fc.stringify(found) !== fc.stringify(expected)) {
    throw new Error(`${fc.stringify(found).slice(0, 300)} is not ${fc.stringify(expected).slice(0, 300)}`);
  }
}

const runAlone = (sql: Sql, one: Case) => check(one.send(sql), one);

/** All of them sent together, or one after the other; after the first that fails, all fail. */
async function runTogether(sql: Sql, cases: readonly Case[], isAtOnce: boolean): Promise<void> {
  const failed = cases.findIndex(({ code }) => code !== undefined);
  const expected = cases.map((one, i) => (failed >= 0 && i > failed ? { code: "25P02" } : one));
  const checks: Promise<void>[] = [];
  for (const [i, { send }] of cases.entries()) {
    checks.push(check(send(sql), expected[i] as Case));
    if (!isAtOnce) await checks[i];
  }
  await Promise.all(checks);
}

let store: Store;

t.before(async () => {
  store = await testStore(2);
  await store.script("create table things (tag int, i int, primary key (tag, i))");
});

t.test("answers - parallel callers on two connections get their own answers, whichever fails", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 6 }), (callers) =>
      Promise.all(
        callers.map(async (steps) => {
          for (const step of steps) await runAlone(store, caseOf(step));
        }),
      ).then(() => {}),
    ),
    RUNS,
  );
  t.pass();
});

t.test("answers - statements of one connection that are sent together", async (t) => {
  const { databaseUrl } = await testServers();
  const session = new Session({ url: await databaseUrl(), max: 1, applicationName: "test" });
  t.teardown(() => session.end());
  await session.script("create table things (tag int, i int, primary key (tag, i))");
  const sql: Sql = Object.assign(
    createTag((statement) => session.run(statement)),
    {
      script: (text: string) => session.script(text).then(() => {}),
      copyIn: (text: string, bytes: Uint8Array) => session.copyIn(text, bytes),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pipelined, { maxLength: 12 }), (steps) =>
      Promise.all(steps.map((step) => runAlone(sql, caseOf(step)))).then(() => {}),
    ),
    RUNS,
  );
  t.pass();
});

t.test("answers - statements in transactions and their savepoints, and outside them", async (t) => {
  const transaction = fc.record({
    before: fc.array(pipelined, { maxLength: 3 }),
    nested: fc.option(fc.array(pipelined, { minLength: 1, maxLength: 4 })),
    after: fc.array(pipelined, { maxLength: 3 }),
    isAtOnce: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { maxLength: 4 }), steps, async (transactions, beside) => {
      const work = transactions.map(async ({ before, nested, after, isAtOnce }) => {
        const first = before.map(caseOf);
        const inner = nested?.map(caseOf);
        const last = after.map(caseOf);
        const outer = inner === undefined ? [[...first, ...last]] : [first, last];
        const isDoomed = outer.flat().find(({ code }) => code !== undefined);
        const running = store.begin(async (sql) => {
          for (const [i, cases] of outer.entries()) {
            await runTogether(sql, cases, isAtOnce);
            if (cases.some(({ code }) => code !== undefined)) return;
            if (i > 0 || inner === undefined) continue;
            const failing = inner.find(({ code }) => code !== undefined);
            const savepoint = sql.savepoint((sql) => runTogether(sql, inner, isAtOnce));
            await check(savepoint, failing ?? { answer: undefined });
          }
        });
        await check(running, isDoomed ?? { answer: undefined });
      });
      const others = beside.map((step) => runAlone(store, caseOf(step)));
      await Promise.all([...work, ...others]);
    }),
    RUNS,
  );
  t.pass();
});

t.test(
  "answers - a statement that is sent again because a table has changed keeps its parameters",
  async (t) => {
    const sql = await testStore(1);
    await sql.script("create table tables (id int); insert into tables values (1)");
    const bytes = Buffer.from([0, 0x5c, 0x78, 0xff]);
    const moment = new Date("2026-05-01T10:00:00.123Z");
    const read = () => sql`
    select *, ${true} as yes, ${false} as no, ${bytes}::bytea as bytes, ${moment}::timestamptz as moment,
      ${'{"a":1}'}::json as json, ${"\\x"}::text as text
    from tables`;
    const given = { yes: true, no: false, bytes, moment, json: { a: 1 }, text: "\\x" };
    t.strictSame(await read(), [{ id: 1, ...given }]);
    t.strictSame(await read(), [{ id: 1, ...given }]);
    await sql.script("alter table tables add column more int");
    t.strictSame(await read(), [{ id: 1, more: null, ...given }]);
    await t.rejects(sql`select ${"text"}::bytea`.then(), TypeError);
  },
);
