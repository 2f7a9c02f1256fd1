import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { microsecondsOf } from "#domain";
import type { Sql, Store } from "#postgres";
import { dealFields, lockWaits, programFields, testStore, waitFor, waitForLocks } from "#test-support";
import { createRetailer, deleteRetailer, replaceRetailer } from "../retailers/retailer-rows.ts";
import { type Revision, Revisions } from "../rules/revisions.ts";
import { indexRoutes } from "../rules/route-transaction.ts";
import { ConfigurationCache, readConfiguration, readConfigurationVersion } from "./configuration.ts";
import { dealTable } from "./deals.ts";
import { programTable } from "./programs.ts";
import { toStoredRules } from "./stored-rules.ts";

let store: Store;

t.beforeEach(async () => {
  store ??= await testStore(8);
  await store`truncate platform.retailers, platform.loyalty_programs, platform.deals, platform.revisions`;
});

const retailerFields = () => ({
  id: uuidv7(),
  name: "Shop",
  merchantIds: [uuidv7()],
  statementDescriptors: [],
});
const tokenHash = () => randomBytes(32);

t.test("configuration - an empty platform has one", async (t) => {
  t.match(await readConfiguration(store), { retailers: [], programs: [], deals: [] });
});

t.test("configuration - everything that matching needs, with times to the microsecond", async (t) => {
  const retailer = { ...retailerFields(), merchantIds: ["B", 'ä, {}"'], statementDescriptors: ["SHOP*"] };
  await createRetailer(store, { ...retailer, tokenHash: tokenHash() });
  const rules = toStoredRules({
    merchant_ids: ["M-1", "M-2"],
    statement_descriptor: "SHOP",
    min_amount: 2 ** 53 - 1,
    currency: "EUR",
    paid_after: "2026-01-01T00:00:00.123456789+01:00",
    paid_before: "2026-02-01t00:00:00z",
    confirmation: "none",
    retroactive: true,
  });
  const program = programFields({ rules });
  await programTable.create(store, program);
  const deal = dealFields({
    startsAt: "2000-01-01T00:00:00.000001Z",
    endsAt: "2100-12-31T23:59:59.999999Z",
    rewardConfig: { type: "percent", percent: 0.0000005, max_amount: 2 ** 53 - 1 },
  });
  await dealTable.create(store, deal);
  const fixed = dealFields({ rewardConfig: { type: "fixed", amount: 100, currency: "EUR" } });
  await dealTable.create(store, fixed);

  const { retailers, programs, deals } = await readConfiguration(store);
  t.strictSame(
    retailers.map(({ id, value }) => ({ id, value })),
    [{ id: retailer.id, value: { merchantIds: ["B", 'ä, {}"'], statementDescriptors: ["SHOP*"] } }],
  );
  const valuesOf = (revisions: readonly Revision<object>[]) =>
    revisions.map(({ id, value }) => ({ id, ...value }));
  t.strictSame(valuesOf(programs), [
    {
      id: program.id,
      threshold: program.qualifyingThreshold,
      reward: program.rewardConfig,
      revision: 1,
      rules: {
        merchantIds: ["M-1", "M-2"],
        statementDescriptor: "SHOP",
        minAmount: 2 ** 53 - 1,
        currency: "EUR",
        paidAfter: microsecondsOf("2025-12-31T23:00:00.123456Z"),
        paidBefore: microsecondsOf("2026-02-01T00:00:00.000000Z"),
        confirmation: "none",
        startsAt: null,
        endsAt: null,
        retroactive: true,
      },
    },
  ]);
  const open = {
    merchantIds: ["M-1"],
    statementDescriptor: null,
    minAmount: null,
    currency: null,
    paidAfter: null,
    paidBefore: null,
    confirmation: "retailer",
    retroactive: false,
  };
  t.strictSame(valuesOf(deals), [
    {
      id: deal.id,
      rules: {
        ...open,
        startsAt: microsecondsOf("2000-01-01T00:00:00.000001Z"),
        endsAt: microsecondsOf("2100-12-31T23:59:59.999999Z"),
      },
      reward: { type: "percent", percent: 0.0000005, maxAmount: 2 ** 53 - 1 },
    },
    {
      id: fixed.id,
      rules: { ...open, startsAt: null, endsAt: null },
      reward: { type: "fixed", amount: 100, currency: "EUR" },
    },
  ]);
  t.ok(indexRoutes(retailers));
});

t.test(
  "configuration - every change moves the version, and an update without a change does not",
  async (t) => {
    const retailer = retailerFields();
    const program = programFields();
    const deal = dealFields();
    const changes: ReadonlyArray<[what: string, change: () => Promise<unknown>, moves: boolean]> = [
      ["a new retailer", () => createRetailer(store, { ...retailer, tokenHash: tokenHash() }), true],
      ["a changed one", () => replaceRetailer(store, { ...retailer, name: "other" }), true],
      ["an unknown one", () => replaceRetailer(store, retailerFields()), false],
      ["a new program", () => programTable.create(store, program), true],
      ["a changed one", () => programTable.replace(store, { ...program, name: "other" }), true],
      ["an unknown one", () => programTable.replace(store, programFields()), false],
      ["a deleted one", () => programTable.delete(store, program.id), true],
      ["deleted again", () => programTable.delete(store, program.id), false],
      ["changed after that", () => programTable.replace(store, program), false],
      ["a new deal", () => dealTable.create(store, deal), true],
      ["a changed one", () => dealTable.replace(store, { ...deal, name: "other" }), true],
      ["a deleted one", () => dealTable.delete(store, deal.id), true],
      ["deleted again", () => dealTable.delete(store, deal.id), false],
    ];
    for (const [what, change, moves] of changes) {
      const { version: before } = await readConfigurationVersion(store);
      const changed = await change();
      t.equal(changed !== undefined, moves, what);
      t.match(await readConfigurationVersion(store), { version: before + (moves ? 1 : 0) }, what);
    }
    const { version, programs, deals, retailers } = await readConfiguration(store);
    t.match(await readConfigurationVersion(store), { version });
    t.equal(retailers.length, 1);
    const now = Number.MAX_SAFE_INTEGER;
    t.strictSame([...new Revisions(programs).allInForce(now)], []);
    t.strictSame([...new Revisions(deals).allInForce(now)], []);
  },
);

t.test(
  "configuration - every revision is kept with its time, and a change that decides nothing makes none",
  async (t) => {
    const program = programFields({ qualifyingThreshold: 1 });
    await programTable.create(store, program);
    await programTable.replace(store, { ...program, name: "another name" });
    await programTable.replace(store, { ...program, qualifyingThreshold: 2 });
    await programTable.delete(store, program.id);
    const retailer = retailerFields();
    await createRetailer(store, { ...retailer, tokenHash: tokenHash() });
    await replaceRetailer(store, { ...retailer, merchantIds: ["other"] });
    await deleteRetailer(store, retailer.id);
    const { programs, retailers } = await readConfiguration(store);
    const own = programs.filter(({ id }) => id === program.id);
    t.match(
      own.map(({ value }) => value),
      [{ threshold: 1, revision: 1 }, { threshold: 2, revision: 3 }, null],
    );
    t.strictSame(
      retailers.flatMap(({ id, value }) => (id === retailer.id ? [value?.merchantIds ?? null] : [])),
      [retailer.merchantIds, ["other"], null],
    );
    const times = own.map(({ since }) => since);
    t.strictSame(
      times,
      [...new Set(times)].sort((a, b) => a - b),
      "they go up",
    );
  },
);

t.test("configuration - a change that fails moves nothing", async (t) => {
  const hash = tokenHash();
  await createRetailer(store, { ...retailerFields(), tokenHash: hash });
  const { version: before } = await readConfigurationVersion(store);
  await t.rejects(createRetailer(store, { ...retailerFields(), tokenHash: hash }), { code: "23505" });
  t.match(await readConfigurationVersion(store), { version: before });
});

t.test(
  "configuration - a reader that sees a version sees every change up to it, however many come at the same time",
  async (t) => {
    const programs = Array.from({ length: 4 }, () => programFields());
    for (const program of programs) await programTable.create(store, program);
    const { version: start } = await readConfigurationVersion(store);
    let changing = true;
    const changes = Promise.all(
      programs.map(async (program) => {
        for (let change = 1; change <= 25; change++) await programTable.replace(store, program);
      }),
    ).finally(() => {
      changing = false;
    });
    while (changing) {
      const [{ version, revisions }] = await store<[{ version: number; revisions: number }]>`
      select version, (select sum(revision - 1)::int from platform.loyalty_programs) as revisions
      from platform.configuration`;
      t.equal(version - start, revisions);
    }
    await changes;
    t.match(await readConfigurationVersion(store), { version: start + 100 });
    t.match(await programTable.get(store, (programs[0] as { id: string }).id), { revision: 26 });
  },
);

t.test(
  "regression - a purchase between the time of a revision and its commit was judged by the old revision",
  async (t) => {
    const program = programFields({ qualifyingThreshold: 1 });
    await programTable.create(store, program);
    const cache = new ConfigurationCache(store);
    await cache.current();
    let judging: ReturnType<ConfigurationCache["current"]> | undefined;
    const changes = {
      "by the service": (sql: Sql) => programTable.create(sql, programFields()),
      "by hand": (sql: Sql) =>
        sql`update platform.loyalty_programs set qualifying_threshold = 7 where id = ${program.id}`,
    };
    for (const [by, change] of Object.entries(changes)) {
      const authedAt = await store.begin(async (sql) => {
        await change(sql);
        const [{ at }] = await sql<[{ at: number }]>`
        select (extract(epoch from clock_timestamp()) * 1000000)::bigint as at`;
        judging = cache.current();
        await waitFor(async () => (await lockWaits(store)) > 0, {
          message: `judging does not wait: ${by}`,
        });
        if (by === "by hand") await sql`update platform.configuration set version = version + 1`;
        return at;
      });
      const { prepared } = await (judging as ReturnType<ConfigurationCache["current"]>);
      const fresh = (await new ConfigurationCache(store).current()).prepared;
      t.strictSame([...prepared.programs.allInForce(authedAt)], [...fresh.programs.allInForce(authedAt)], by);
    }
    const { prepared } = await cache.current();
    t.match(prepared.programs.inForce(program.id, Number.MAX_SAFE_INTEGER), { threshold: 7 });
  },
);

t.test(
  "regression - a change that was left open held up all statements, and its session was not named",
  async (t) => {
    const program = programFields();
    await programTable.create(store, program);
    const cache = new ConfigurationCache(store);
    await store.begin(async (sql) => {
      await sql`update platform.loyalty_programs set qualifying_threshold = 7 where id = ${program.id}`;
      const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
      const message = new RegExp(`session ${pid} \\(test, role .*, since 2.*Z\\) has an open change`);
      await t.rejects(readConfigurationVersion(store), { code: "55P03", message });
      await t.rejects(programTable.create(store, programFields()), { code: "55P03" });
      await t.rejects(cache.current(), { code: "55P03" });
      const calls = Promise.allSettled(Array.from({ length: 20 }, () => cache.current()));
      await waitForLocks(sql);
      t.equal(await lockWaits(sql), 1, "one looks for all");
      for (const call of await calls)
        t.match(call, { status: "rejected", reason: { code: "55P03", message } });
    });
    t.ok(await cache.current());
    t.ok(await readConfigurationVersion(store));
  },
);

t.test("regression - a change that waited for a row or a table held up judging", async (t) => {
  const [program, retailer] = [programFields(), retailerFields()];
  await programTable.create(store, program);
  await createRetailer(store, { ...retailer, tokenHash: tokenHash() });
  const held = {
    "a program's row": [
      (sql: Sql) => sql`select from platform.loyalty_programs where id = ${program.id} for update`,
      () => programTable.replace(store, program),
    ],
    "the table of retailers": [
      (sql: Sql) => sql`lock table platform.retailers in share row exclusive mode`,
      () => replaceRetailer(store, retailer),
    ],
  } as const;
  for (const [what, [hold, change]] of Object.entries(held)) {
    let changing: Promise<unknown> | undefined;
    await store.begin(async (sql) => {
      await hold(sql);
      changing = change();
      await waitForLocks(store);
      const [{ changes }] = await store<[{ changes: number }]>`
        select count(*) as changes from pg_locks
        where locktype = 'advisory' and classid = 7301014
          and database = (select oid from pg_database where datname = current_database())`;
      t.equal(changes, 0, what);
    });
    t.ok(await changing, what);
  }
});

t.test(
  "configuration - a process that reads only new revisions has the same result as a new process",
  async (t) => {
    const [program, deal] = [programFields({ qualifyingThreshold: 1 }), dealFields()];
    const retailer = retailerFields();
    const cache = new ConfigurationCache(store);
    const changes: (() => PromiseLike<unknown>)[] = [
      () => createRetailer(store, { ...retailer, tokenHash: tokenHash() }),
      () => programTable.create(store, program),
      () => dealTable.create(store, deal),
      () => programTable.replace(store, { ...program, qualifyingThreshold: 2 }),
      () => programTable.replace(store, { ...program, name: "Other" }),
      () => replaceRetailer(store, { ...retailer, merchantIds: ["other"] }),
      () => dealTable.delete(store, deal.id),
      () => deleteRetailer(store, retailer.id),
      // Old revisions are removed, or the database is restored: the configuration is read completely again.
      () => store`delete from platform.revisions where id = ${retailer.id} and settings is not null`,
      () => programTable.delete(store, program.id),
    ];
    for (const [number, change] of changes.entries()) {
      const { version: before } = await readConfigurationVersion(store);
      await change();
      const news = await readConfiguration(store, before);
      t.ok(news.retailers.length + news.programs.length + news.deals.length <= 1, `change ${number}`);
      const [kept, fresh] = [await cache.current(), await new ConfigurationCache(store).current()];
      if (kept.version === before) continue;
      t.strictSame(
        [kept.version, kept.count, kept.retailers, kept.programs, kept.deals, kept.routes],
        [fresh.version, fresh.count, fresh.retailers, fresh.programs, fresh.deals, fresh.routes],
        `change ${number}`,
      );
    }
  },
);

t.test(
  "regression - after a failover lost a change, the next one had its version, and judging kept the lost one",
  async (t) => {
    let startedAt = "2026-01-01T00:00:00Z";
    /** The database, as of a server that was started then. */
    const served = ((strings: TemplateStringsArray | string, ...values: never[]) => {
      if (typeof strings === "string") return store(strings);
      const texts = strings.map((text) =>
        text.replace("pg_postmaster_start_time()", `'${startedAt}'::timestamptz`),
      );
      return store(Object.assign(texts, { raw: texts }) as unknown as TemplateStringsArray, ...values);
    }) as Sql;
    const program = programFields({ qualifyingThreshold: 1 });
    await programTable.create(store, program);
    const { version } = await readConfigurationVersion(store);
    const cache = new ConfigurationCache(served);
    const change = (qualifyingThreshold: number) =>
      programTable.replace(store, { ...program, qualifyingThreshold });
    await change(2);
    await cache.current();
    // The new primary has never had that change.
    await store`delete from platform.revisions where version > ${version}`;
    await store`update platform.configuration set version = ${version}`;
    startedAt = "2026-01-02T00:00:00Z";
    await change(3);
    const { prepared } = await cache.current();
    t.equal(prepared.programs.inForce(program.id, Number.MAX_SAFE_INTEGER)?.threshold, 3);
  },
);

t.test(
  "revisions - the bytes of one retailer's revisions are bounded; no other retailer is refused",
  async (t) => {
    const merchantIds = Array.from({ length: LIMITS.merchantsPerRecord }, (_, i) => `${i}`.padStart(64, "M"));
    const retailer = { ...retailerFields(), merchantIds };
    await createRetailer(store, { ...retailer, tokenHash: tokenHash() });
    const [{ bytes }] = await store<[{ bytes: number }]>`select bytes from platform.revisions`;
    t.ok(bytes > 64 * LIMITS.merchantsPerRecord);
    const fitting = Math.floor(LIMITS.revisionBytesKept / bytes);
    await store`
    insert into platform.revisions (since, revision, bytes, id, kind, settings)
    select now() + n * interval '1 second', 0, bytes, id, kind, settings
    from platform.revisions, generate_series(1, ${fitting - 2}::int) as n`;
    const other = (name: string) => ({ ...retailer, merchantIds: [name, ...merchantIds.slice(1)] });
    t.ok(await replaceRetailer(store, other("one more")));
    await t.rejects(replaceRetailer(store, other("one too many")), {
      code: "conflict",
      data: { reason: "too_many_revisions", limit_bytes: LIMITS.revisionBytesKept },
    });
    t.ok(await createRetailer(store, { ...retailerFields(), tokenHash: tokenHash() }));
    t.ok(await deleteRetailer(store, retailer.id));
  },
);

t.test("regression - a clock that went back put a replaced revision into force again", async (t) => {
  const program = programFields({ qualifyingThreshold: 1 });
  await programTable.create(store, program);
  // Until then, the clock was an hour ahead.
  await store`update platform.revisions set since = since + interval '1 hour'`;
  await programTable.replace(store, { ...program, qualifyingThreshold: 2 });
  await programTable.replace(store, { ...program, qualifyingThreshold: 3 });
  const { programs } = await readConfiguration(store);
  t.match(
    programs.map(({ value }) => value),
    [{ threshold: 1 }, { threshold: 2 }, { threshold: 3 }],
  );
  const [first, second, third] = programs.map(({ since }) => since) as [number, number, number];
  t.strictSame([second, third], [first + 1, first + 2]);
});

/** Gives a program as many revisions as are kept, each a second after the one before. */
async function changeOften(id: string, daysAgo: number): Promise<void> {
  await store`
    insert into platform.revisions (since, revision, id, kind, settings)
    select now() - ${daysAgo} * interval '1 day' + n * interval '1 second', n, id, kind, settings
    from platform.revisions, generate_series(1, ${LIMITS.revisionsKept - 1}::int) as n
    where id = ${id} and since = (select min(since) from platform.revisions where id = ${id})`;
}

t.test("revisions - one that is changed too often is refused, and may be deleted", async (t) => {
  const program = programFields({ qualifyingThreshold: 1 });
  await programTable.create(store, program);
  await store`update platform.revisions set since = now() - interval '2 days'`;
  await changeOften(program.id, 1);
  const { version: before } = await readConfigurationVersion(store);
  await t.rejects(programTable.replace(store, { ...program, qualifyingThreshold: 2 }), {
    code: "conflict",
    data: { reason: "too_many_revisions", limit: LIMITS.revisionsKept },
  });
  t.match(await readConfigurationVersion(store), { version: before });
  t.match(await programTable.get(store, program.id), { qualifyingThreshold: 1 }, "nothing was changed");
  t.ok(
    await programTable.replace(store, { ...program, name: "Other" }),
    "a change that decides nothing makes no revision",
  );
  t.ok(await programTable.delete(store, program.id));
  const { programs } = await readConfiguration(store);
  t.equal(programs.at(-1)?.value, null);
});

t.test("revisions - of one that has many the oldest go that were replaced long ago", async (t) => {
  const [program, other] = [programFields({ qualifyingThreshold: 1 }), programFields()];
  for (const one of [program, other]) await programTable.create(store, one);
  await store`update platform.revisions set since = now() - interval '900 days'`;
  await changeOften(program.id, 500);
  await programTable.replace(store, { ...program, qualifyingThreshold: 2 });
  const { programs } = await readConfiguration(store);
  const own = programs.filter(({ id }) => id === program.id);
  t.equal(own.length, LIMITS.revisionsKept);
  t.match(own.at(-1)?.value, { threshold: 2 });
  t.match(own[0]?.value, { revision: 1 }, "the very first one is gone");
  t.equal(programs.filter(({ id }) => id === other.id).length, 1, "and no other's");
});
