import t, { type Test } from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { closeStore, connectStore } from "#postgres";
import { explaining, MovableClock, testMember, testServers } from "#test-support";
import type { KeptRejection } from "../../../ingest/src/batch/collect-findings.ts";
import { keepFindings } from "../../../ingest/src/batch/keep-findings.ts";
import { keptAt, listRejections } from "./list-rejections.ts";

const START = Date.parse("2026-05-02T10:00:20.500Z");
const MINUTE_MS = 60_000;

async function setUp(t: Test) {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url, START);
  const store = connectStore({ url, max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const [mine, theirs] = [await testMember(store), await testMember(store)];
  const reject = (
    organisationId: string,
    externalIds: readonly string[],
    changes: Partial<KeptRejection> = {},
  ) =>
    keepFindings(store, {
      rejected: externalIds.map((externalId, index) => ({
        organisationId,
        externalId,
        memberId: mine.memberId,
        batchId: uuidv7(),
        index,
        awaited: true,
        rejection: { code: "not_found", reason: "not_found" },
        ...changes,
      })),
      ignored: [],
    });
  type Listing = Omit<Parameters<typeof listRejections>[1], "organisationId">;
  const list = async (organisationId: string, listing: Listing = {}, limit = 1000) => {
    const pages: string[][] = [];
    for (let after: string | undefined; ; ) {
      const page = await listRejections(store, { organisationId, ...listing }, { limit, after });
      pages.push(page.records.map((row) => (row.notKept === null ? row.externalId : `+${row.notKept}`)));
      if (!page.more) return pages;
      after = page.records.at(-1)?.id;
    }
  };
  const at = (ms: number, micros = "000") => new Date(START + ms).toISOString().replace("Z", `${micros}Z`);
  return { store, clock, mine, theirs, reject, list, at };
}

const names = (count: number, prefix = "e") => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

t.test("list - newest first, page by page, of one organisation alone", async (t) => {
  const { clock, mine, theirs, reject, list } = await setUp(t);
  await reject(mine.organisationId, ["a", "b"]);
  await reject(theirs.organisationId, ["a", "theirs"]);
  await clock.pass(1);
  await reject(mine.organisationId, ["c"]);
  await clock.pass(MINUTE_MS);
  await reject(mine.organisationId, ["a", "d"]);
  const all = ["d", "a", "c", "b", "a"];
  t.strictSame(await list(mine.organisationId), [all]);
  t.strictSame(await list(mine.organisationId, {}, 2), [["d", "a"], ["c", "b"], ["a"]]);
  t.strictSame(await list(theirs.organisationId), [["theirs", "a"]]);
  t.strictSame(await list(uuidv7()), [[]]);
});

t.test("list - by external_id, by member, by both, whether the member is anybody's or not", async (t) => {
  const { mine, theirs, reject, list } = await setUp(t);
  const [other, unknown] = [theirs.memberId, uuidv7()];
  await reject(mine.organisationId, ["a", "b"]);
  await reject(mine.organisationId, ["a", "c"], { memberId: other });
  await reject(mine.organisationId, ["d"], { memberId: unknown });
  await reject(mine.organisationId, ["e"], { memberId: null });
  await reject(theirs.organisationId, ["a", "f"], { memberId: unknown });
  const { organisationId } = mine;
  t.strictSame(await list(organisationId, { externalId: "a" }), [["a", "a"]]);
  t.strictSame(await list(organisationId, { externalId: "a", memberId: other }), [["a"]]);
  t.strictSame(await list(organisationId, { memberId: mine.memberId }), [["b", "a"]]);
  t.strictSame(await list(organisationId, { memberId: unknown }), [["d"]], "nothing of another organisation");
  t.strictSame(await list(organisationId, { externalId: "f" }), [[]]);
  t.strictSame(await list(theirs.organisationId, { memberId: unknown }, 1), [["f"], ["a"]]);
});

t.test("list - from since on and before until, to the millisecond", async (t) => {
  const { clock, mine, reject, list, at } = await setUp(t);
  for (const name of names(3)) {
    await reject(mine.organisationId, [name]);
    await clock.pass(1);
  }
  const of = async (since: string | undefined, until: string | undefined) =>
    (await list(mine.organisationId, { rejected: { since, until } })).flat();
  t.strictSame(await of(at(0), undefined), ["e2", "e1", "e0"]);
  t.strictSame(await of(at(0, "001"), undefined), ["e2", "e1"]);
  t.strictSame(await of(at(1), at(2)), ["e1"]);
  t.strictSame(await of(at(1), at(2, "001")), ["e2", "e1"]);
  t.strictSame(await of(undefined, at(0)), []);
  t.strictSame(await of("2000-01-01T00:00:00.000000Z", "2100-12-31T23:59:59.999999Z"), ["e2", "e1", "e0"]);
});

t.test(
  "list - the number of unstored rejections is listed once, after its minute, and not with a filter",
  async (t) => {
    const { store, clock, mine, reject, list, at } = await setUp(t);
    const { organisationId } = mine;
    await reject(organisationId, ["before"]);
    await clock.pass(MINUTE_MS);
    const full = names(LIMITS.rejectionsPerMinute);
    await reject(organisationId, [...full, "x", "y"]);
    await reject(organisationId, ["z"]);
    await clock.pass(MINUTE_MS);
    await reject(organisationId, ["after"]);
    const expected = ["after", ...full.toReversed(), "+3", "before"];
    t.strictSame((await list(organisationId)).flat(), expected);
    t.strictSame((await list(organisationId, {}, 7)).flat(), expected, "in pages");
    t.strictSame(await list(organisationId, { memberId: mine.memberId }, 2000), [
      expected.filter((name) => name !== "+3"),
    ]);
    t.strictSame(await list(organisationId, { externalId: "x" }), [[]]);
    const rejected = { since: at(39_000), until: at(MINUTE_MS) };
    t.strictSame(await list(organisationId, { rejected }), [["+3"]], "its time is its minute's beginning");
    const { records } = await listRejections(store, { organisationId, rejected }, { limit: 1 });
    t.strictSame(records.map(keptAt), [new Date("2026-05-02T10:01:00Z")]);
  },
);

t.test("plan - every way of asking begins at its place in an index", async (t) => {
  const { store, mine, theirs, at } = await setUp(t);
  for (const { organisationId, memberId } of [mine, theirs]) {
    await store`
      insert into transaction_rejections
        (organisation_id, id, batch_id, member_id, event_index, external_id, code, reason)
      select ${organisationId},
             (lpad(to_hex(${START}::bigint - n * 1000), 12, '0') || '-7001-8' || substr(md5(n::text), 1, 3) || '-'
               || substr(md5(n::text), 1, 12))::uuid,
             gen_random_uuid(), case when n % 100 = 0 then ${memberId}::uuid else gen_random_uuid() end, 0,
             'e' || n % 5000, 'not_found', 'not_found'
      from generate_series(1, 20000) as n`;
  }
  await store.script("vacuum analyze transaction_rejections");
  const { organisationId, memberId } = mine;
  const after = "0195a3c4-7e1b-7000-8000-000000000000";
  const span = { since: at(-9_000_000), until: at(-8_990_000) };
  for (const [name, listing, index] of [
    ["all", {}, "transaction_rejections_pkey"],
    ["a span", { rejected: span }, "transaction_rejections_pkey"],
    ["external_id", { externalId: "e7" }, "transaction_rejections_external_id_idx"],
    [
      "external_id and a span",
      { externalId: "e7", rejected: span },
      "transaction_rejections_(external_id_idx|pkey)",
    ],
    ["member_id", { memberId }, "transaction_rejections_member_idx"],
    ["member_id and a span", { memberId, rejected: span }, "transaction_rejections_(member_idx|pkey)"],
    ["both", { memberId, externalId: "e100" }, "transaction_rejections_(external_id|member)_idx"],
  ] as const) {
    for (const page of [{ limit: 100 }, { limit: 100, after: name === "all" ? uuidv7() : after }]) {
      const plans: string[] = [];
      await listRejections(explaining(store, plans), { organisationId, ...listing }, page);
      t.equal(plans.length, 1, name);
      t.match(plans[0], new RegExp(`Index (Only )?Scan (Backward )?(using|on) ${index}`), name);
      t.notMatch(plans[0], /Seq Scan on (?:transaction_rejections|members) /, name);
      t.match(plans[0], new RegExp(`Index Cond: .*organisation_id = '${organisationId}'`), name);
    }
  }
});
