import { randomUUID } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { decodeId, encodeId } from "#domain";
import { closeStore, connectStore } from "#postgres";
import { createLog } from "#runtime";
import { DISPLAY_CONTENT, testServers } from "#test-support";
import { createConfigHandler } from "./handle-config.ts";
import { stepLateRetroactive } from "./store/late-retroactive.ts";

const AT = "2026-03-01T10:00:00Z";

async function setUp() {
  const lines: string[] = [];
  const url = await (await testServers()).databaseUrl();
  const store = connectStore({ url, max: 2, applicationName: "test" });
  const log = createLog({
    service: "test",
    level: "warn",
    destination: { write: (line) => lines.push(line) },
  });
  const handler = createConfigHandler({ store, log });
  const facts = { rows: 1, traceIds: "", traceparent: "" };
  const place = { subject: "config.test", partition: 0, sequence: 1, storedAtMs: 0 };
  const handleBytes = (data: Uint8Array) => handler({ ...place, data, ...facts });
  const handle = (message: unknown) => handleBytes(Buffer.from(JSON.stringify(message)));
  return { store, handle, handleBytes, lines };
}

function program(changes: object = {}, recordChanges: object = {}) {
  const record = {
    name: "P",
    qualifying_threshold: 5,
    reward_config: { type: "fixed-reward", amount: 250 },
    display_content: DISPLAY_CONTENT,
    created_at: AT,
    updated_at: AT,
    ...recordChanges,
  };
  const id = encodeId("lp", randomUUID());
  return { v: 1, kind: "loyalty-program", id, revision: 1, record, ...changes };
}

function deal(changes: object = {}, recordChanges: object = {}) {
  const record = {
    name: "D",
    reward_config: { type: "fixed", amount: 100, currency: "EUR" },
    display_content: DISPLAY_CONTENT,
    created_at: AT,
    updated_at: AT,
    ...recordChanges,
  };
  return { v: 1, kind: "deal", id: encodeId("deal", randomUUID()), revision: 1, record, ...changes };
}

t.test("handle config", async (t) => {
  const { store, handle, handleBytes, lines } = await setUp();
  t.teardown(() => closeStore(store));

  await t.test("concurrent revisions of one deal leave the newest", async (t) => {
    const { id } = deal();
    const revisions = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) + 1);
    await Promise.all(
      revisions.map((revision) => handle(deal({ id, revision }, { name: `at ${revision}` }))),
    );
    const rows = await store`select name, revision from deals`;
    t.strictSame([...rows], [{ name: "at 20", revision: 20 }]);
    t.strictSame(await handle(deal({ id, revision: 3 })), { kind: "skip", reason: "old_revision" });
  });

  await t.test("the times of a deal may have any offset and any number of digits", async (t) => {
    const times = { starts_at: "2026-03-01T12:00:00+18:00", ends_at: "2026-04-01T00:00:00.123456789Z" };
    const message = deal({}, times);
    t.strictSame(await handle(message), { kind: "done" });
    const [row] = await store<{ startsAt: Date; endsAt: Date }[]>`
      select starts_at as "startsAt", ends_at as "endsAt" from deals
      where id = ${decodeId("deal", message.id) as string}`;
    t.strictSame(
      [row?.startsAt.toISOString(), row?.endsAt.toISOString()],
      ["2026-02-28T18:00:00.000Z", "2026-04-01T00:00:00.123Z"],
    );
  });

  await t.test("regression - when a program or deal was retroactive was not kept", async (t) => {
    const since = ["2026-03-01T10:00:00Z", "2026-04-01T10:00:00Z", "2026-05-01T10:00:00Z"] as const;
    const history = (...values: boolean[]) =>
      values.map((retroactive, i) => ({ since: since[i], retroactive }));
    const stored = (table: string) =>
      store`select retroactive, retroactive_history as history from ${store(table)} where revision >= 100`;
    for (const [table, make] of [
      ["loyalty_programs", program],
      ["deals", deal],
    ] as const) {
      const { id } = make();
      const says = (revision: number, ...values: boolean[]) =>
        handle(
          make({ id, revision }, { retroactive: values.at(-1), retroactive_history: history(...values) }),
        );
      t.strictSame(await says(100, true, true), { kind: "done" });
      t.strictSame([...(await stored(table))], [{ retroactive: true, history: null }], "for all time");
      await says(101, true, true, false);
      const changed = [
        { since: Date.parse(since[0]) * 1000, retroactive: true },
        { since: Date.parse(since[2]) * 1000, retroactive: false },
      ];
      t.strictSame([...(await stored(table))], [{ retroactive: false, history: changed }]);
      await handle({ v: 1, kind: make().kind, id, revision: 102, record: null });
      t.strictSame(
        [...(await stored(table))],
        [{ retroactive: false, history: changed }],
        "kept once it is removed",
      );
    }
  });

  await t.test(
    "regression - existing links were not published again after a late change of `retroactive`",
    async (t) => {
      const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
      const { id } = deal();
      const turns = (revision: number, minutes: number) => ({
        id,
        revision,
        record: null,
        retroactive_history: [
          { since: at(10_000), retroactive: false },
          { since: at(minutes), retroactive: true },
        ],
      });
      const noted = async () => {
        const rows = await store`select since, id, is_deal, last_link from late_retroactive`;
        return rows.map(({ since }) => Math.round((Date.now() - (since as Date).getTime()) / 60_000));
      };
      const clips = Array.from({ length: 3 }, () => uuidv7());
      const dealId = decodeId("deal", id) as string;
      await handle(deal({ id }));
      // Made a quarter of an hour ago, four and a half minutes ago, and now.
      await store`
        insert into clips (id, organisation_id, member_id, deal_id, created_at, redeemed_at)
        select id, ${randomUUID()}, ${randomUUID()}, ${dealId}, now() - ago * interval '1 second', now()
        from unnest(${clips}::uuid[], ${[900, 270, 0]}::int[]) as c (id, ago)`;
      await handle({ ...deal(), ...turns(2, 0) });
      t.strictSame(await noted(), [], "told in time");
      await handle({ ...deal(), ...turns(3, 5) });
      t.strictSame(await noted(), [5]);
      await handle({ ...deal(), ...turns(4, 3) });
      t.strictSame(await noted(), [5], "the note stays");
      t.equal(await store.begin(stepLateRetroactive), true);
      t.equal(await store.begin(stepLateRetroactive), false);
      const rows = await store<{ id: string }[]>`select id from new_links`;
      t.strictSame(
        rows.map(({ id }) => id),
        [clips[2]],
        "that alone was made so late that purchases count for it which did not",
      );
    },
  );

  await t.test("fields that are not known yet do not stop a message", async (t) => {
    t.strictSame(await handle(program({ region: "north" }, { colour: "red" })), { kind: "done" });
  });

  await t.test(
    "display content that is longer than our own platform takes is applied all the same",
    async (t) => {
      const terms = "x".repeat(400_000);
      const { id } = program();
      const message = program({ id }, { display_content: { ...DISPLAY_CONTENT, terms } });
      t.strictSame(await handle(message), { kind: "done" });
      t.strictSame(await handle(program({ id, revision: 2 })), { kind: "done" }, "the next one is read");
    },
  );

  const refused: ReadonlyArray<[what: string, message: unknown, path: string]> = [
    ["another version", program({ v: 2 }), "/v"],
    ["another kind", program({ kind: "retailer" }), "/kind"],
    ["no revision", program({ revision: undefined }), "/revision"],
    ["a revision that is no whole number", program({ revision: 1.5 }), "/revision"],
    ["a deal's id on a program", program({ id: deal().id }), "/id"],
    ["no record at all", program({ record: undefined }), "/record"],
    ["a threshold of none", program({}, { qualifying_threshold: 0 }), "/record/qualifying_threshold"],
    [
      "a threshold that no int holds",
      program({}, { qualifying_threshold: 2 ** 40 }),
      "/record/qualifying_threshold",
    ],
    ["a revision that is not exact", program({ revision: 1e300 }), "/revision"],
    ["an unknown currency", program({}, { currency: "XYZ" }), "/record/currency"],
    ["an unknown reward", deal({}, { reward_config: { type: "gift" } }), "/record/reward_config"],
    ["a time without an offset", deal({}, { ends_at: "2026-03-01T10:00:00" }), "/record/ends_at"],
    ["a list", [program()], ""],
    ["nothing", null, ""],
  ];
  for (const [what, message, path] of refused) {
    await t.test(`${what} is refused for good, and the log says where`, async (t) => {
      lines.length = 0;
      t.strictSame(await handle(message), { kind: "dead", reason: "invalid_message" });
      const { issues } = JSON.parse(lines.join("")) as { issues: { path: string }[] };
      t.ok(
        issues.some((issue) => issue.path === path),
        JSON.stringify(issues),
      );
    });
  }

  await t.test("an unreadable message is refused for good", async (t) => {
    const broken = Buffer.from(JSON.stringify(program({}, { name: "é" }))).subarray(0, 60);
    const notUtf8 = Buffer.from(JSON.stringify(program({}, { name: "\u00ff" })), "latin1");
    for (const bytes of [broken, notUtf8, Buffer.alloc(0)]) {
      t.strictSame(await handleBytes(bytes), { kind: "dead", reason: "unreadable_message" });
    }
  });

  await t.test("a value that the database cannot hold is refused for good, and not stored", async (t) => {
    const cases = [
      program({}, { name: "NUL \0" }),
      deal({}, { display_content: { ...DISPLAY_CONTENT, terms: "\0" } }),
    ];
    for (const message of cases) {
      t.strictSame(await handle(message), { kind: "dead", reason: "refused_by_database" });
    }
  });

  await t.test("a fault of the database is thrown, to be tried again", async (t) => {
    await store`alter table deals rename to deals_elsewhere`;
    await t.rejects(handle(deal()), { code: "42P01" });
    await store`alter table deals_elsewhere rename to deals`;
  });
});
