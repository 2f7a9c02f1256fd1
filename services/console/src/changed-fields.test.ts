import t from "tap";
import { LIMITS } from "#contract";
import { changedFields, changeWords } from "./changed-fields.ts";
import { openConsole, startFakeApi } from "./test-console.ts";

const PROGRAM = {
  id: "lp_1",
  name: "Coffee",
  qualifying_threshold: 5,
  reward_config: { type: "fixed-reward", amount: 300 },
  display_content: { title: "Coffee", terms: "None" },
  rules: { merchant_ids: ["A", "B"], min_amount: 100, confirmation: "retailer" },
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
};

t.test(
  "changes - for a replaced record lists each field that gets another value, and no other",
  async (t) => {
    const { created_at, updated_at, ...same } = PROGRAM;
    t.strictSame(changedFields(PROGRAM, same, "replace"), []);
    const request = {
      ...same,
      reward_config: { type: "refund" },
      display_content: { ...PROGRAM.display_content, terms: "Some" },
      rules: { merchant_ids: ["B", "C"] },
    };
    t.strictSame(changedFields(PROGRAM, request, "replace"), [
      { field: "reward_config.type", old: "fixed-reward", new: "refund" },
      { field: "display_content.terms", old: "None", new: "Some" },
      { field: "rules.merchant_ids", removed: ["A"], added: ["C"] },
      { field: "reward_config.amount", old: 300, new: null },
      { field: "rules.min_amount", old: 100, new: null },
    ]);
  },
);

t.test(
  "changes - an update has only the fields that it names; a new or deleted record has all",
  async (t) => {
    const webhook = { id: "whk_1", url: "https://a.example", events: ["x", "y"], state: "enabled" };
    t.strictSame(changedFields(webhook, { id: "whk_1", state: "paused", url: webhook.url }, "update"), [
      { field: "state", old: "enabled", new: "paused" },
    ]);
    t.strictSame(changedFields(webhook, { id: "whk_1", events: ["y", "x"] }, "update"), []);
    t.strictSame(changedFields(undefined, { name: "Shop", merchant_ids: ["A"] }, "replace"), [
      { field: "name", old: null, new: "Shop" },
      { field: "merchant_ids", removed: [], added: ["A"] },
    ]);
    t.strictSame(changedFields({ id: "ret_1", name: "Shop" }, { id: "ret_1" }, "delete"), [
      { field: "name", old: "Shop", new: null },
    ]);
  },
);

t.test(
  "changes - a secret shows as such, a long value by its beginning, and every change can be stored",
  async (t) => {
    t.strictSame(changedFields({ secret: "old" }, { secret: "new", a: { token: "x" } }, "update"), [
      { field: "secret", secret: true },
      { field: "a.token", secret: true },
    ]);
    const long = "x".repeat(LIMITS.consoleAuditValueLength);
    t.match(changedFields({ name: "a" }, { name: long }, "update"), [
      {
        field: "name",
        old: "a",
        new: { begins: /^"x{100,}$/, length: long.length + 2, sha256: /^[0-9a-f]{64}$/ },
      },
    ]);
    t.strictSame(changedFields({}, { name: "a\0b\ud800" }, "update"), [
      { field: "name", old: null, new: "a\u{FFFD}b\u{FFFD}" },
    ]);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, i]));
    t.ok(changedFields({}, { rules: many }, "replace").length <= 200);
  },
);

t.test("changes - the audit stores them before the request goes on, and shows them", async (t) => {
  let record: object | undefined = PROGRAM;
  const api = await startFakeApi((path) => {
    if (!path.endsWith("/get")) return { status: 200, body: { id: "lp_1" } };
    return record === undefined ? { status: 503, body: {} } : { status: 200, body: record };
  });
  t.teardown(() => api.close());
  const { visitor } = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: "platform-token",
  });
  const ada = await visitor("administrator");
  const { created_at, updated_at, ...same } = PROGRAM;
  const save = (body: object) => ada.post("platform.v1/loyalty-program/upsert", body, { reason: "a test" });
  await save({ ...same, qualifying_threshold: 4 });
  record = undefined;
  t.match(await save(same), { status: 503 });
  const { data } = (await ada.post("audit")).body;
  t.match(data, [
    { action: "platform.v1/loyalty-program/upsert", subject: "lp_1", changes: [], outcome: "unavailable" },
    {
      action: "platform.v1/loyalty-program/upsert",
      subject: "lp_1",
      changes: ["qualifying_threshold: 5 → 4"],
      outcome: "ok",
    },
  ]);
  const changed = api.asked.filter(({ path }) => !path.endsWith("/get"));
  t.equal(changed.length, 1, "a record that could not be read was not changed");
});

t.test("changes - a record that somebody changed after the page read it is not overwritten", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: PROGRAM }));
  t.teardown(() => api.close());
  const { visitor } = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: "platform-token",
  });
  const ada = await visitor("administrator");
  const { created_at, updated_at, ...same } = PROGRAM;
  const save = (route: string, body: object, shown: string) =>
    ada.post(`platform.v1/loyalty-program/${route}`, body, {
      reason: "a test",
      headers: { "stampede-console-shown": shown },
    });
  const refused = { status: 409, body: { error: { data: { reason: "changed_meanwhile" } } } };
  const earlier = "2020-01-01T00:00:00.000Z";
  t.match(await save("upsert", { ...same, name: "Mine" }, earlier), refused);
  t.match(await save("delete", { id: same.id }, earlier), refused);
  t.strictSame(
    [...new Set(api.asked.map(({ path }) => path.split("/").at(-1)))],
    ["get"],
    "nothing is changed",
  );
  t.match(await save("upsert", same, earlier), { status: 200 }, "it finds its own change");
  t.match(await save("upsert", { ...same, name: "Mine" }, updated_at), { status: 200 });
  const { data } = (await ada.post("audit")).body;
  t.match(data, [{ outcome: "ok" }, { outcome: "ok" }, { outcome: "conflict" }, { outcome: "conflict" }]);
});

t.test("changes in words - values, lists, long values and secrets", async (t) => {
  t.equal(changeWords({ field: "state", old: "enabled", new: "paused" }), "state: enabled → paused");
  t.equal(changeWords({ field: "rules.min_amount", old: null, new: 100 }), "rules.min_amount: nothing → 100");
  t.equal(
    changeWords({ field: "events", removed: ["a"], added: ["b", "c"] }),
    "events: without a, with b, c",
  );
  t.equal(changeWords({ field: "events", removed: [], added: ["b"] }), "events: with b");
  const long = { begins: '"A lon', length: 4000, sha256: "00" };
  t.equal(changeWords({ field: "terms", old: "", new: long }), 'terms: nothing → "A lon… (4000 characters)');
  t.equal(changeWords({ field: "secret", secret: true }), "secret: another secret");
});
