import t from "tap";
import { FORMATS } from "./formats.ts";
import { LIMITS } from "./limits.ts";
import { describeViolation, findIssues, type Validate } from "./schema-issue.ts";
import { PLATFORM_VALIDATORS, VALIDATORS } from "./validation/validators.js";

const describe = (keyword: string, params: Record<string, unknown>, instancePath = "/a") =>
  describeViolation({ instancePath, keyword, params });

t.test("schema issue - one and many differ", async (t) => {
  t.equal(describe("minLength", { limit: 1 }).message, "must have at least 1 character");
  t.equal(describe("minLength", { limit: 2 }).message, "must have at least 2 characters");
  t.equal(describe("maxItems", { limit: 1 }).message, "must have at most 1 entry");
  t.equal(describe("maxProperties", { limit: 64 }).message, "must have at most 64 keys");
});

t.test("schema issue - a field's name is escaped as a JSON pointer wants it", async (t) => {
  const path = (additionalProperty: string) => describe("additionalProperties", { additionalProperty }).path;
  t.equal(path("b"), "/a/b");
  t.equal(path("a/b"), "/a/a~1b");
  t.equal(path("a~1b"), "/a/a~01b");
  t.equal(path(""), "/a/");
});

t.test("schema issue - a made-up name is shown up to 64 characters", async (t) => {
  const { path } = describe("additionalProperties", { additionalProperty: "/".repeat(1_000_000) });
  t.equal(path, `/a/${"~1".repeat(64)}`);
});

t.test("schema issue - half of a surrogate pair, sent or made by the cut, is not shown back", async (t) => {
  const path = (additionalProperty: string) => describe("additionalProperties", { additionalProperty }).path;
  t.equal(path("a\ud800b"), "/a/a\ufffdb");
  t.equal(path(`${"x".repeat(63)}😀`), `/a/${"x".repeat(63)}\ufffd`);
});

t.test("schema issue - no path holds a key that may not be", async (t) => {
  const validate = VALIDATORS["member/bulk-upsert"];
  for (const key of ["\ud800", "k".repeat(100_000)]) {
    const attributes = { [key]: Array(100).fill(1), sound: [1] };
    const body = { member_base_id: "mb", members: [{ ref: "a", attributes }] };
    t.notOk(validate(body));
    const { issues, total } = findIssues(validate, body, 0);
    const paths = ["/members/0/attributes", "/members/0/attributes/sound/0"];
    t.strictSame(
      issues.map(({ path }) => path),
      paths,
    );
    t.equal(total, paths.length);
  }
});

t.test("schema issue - of several forms the schema's own comment says which there are", async (t) => {
  const params = { passingSchemas: null, comment: "must be this or that" };
  t.strictSame(describe("oneOf", params), { path: "/a", message: "must be this or that" });
});

t.test("schema issue - an unknown form is placed at the field that names it", async (t) => {
  const params = { tag: "type", allowedValues: ["percent", "fixed"] };
  t.strictSame(describe("discriminator", params), {
    path: "/a/type",
    message: "must be one of percent, fixed",
  });
});

t.test("schema issue - a rule without its own wording still gives an answer", async (t) => {
  t.strictSame(describe("multipleOf", { multipleOf: 2 }), { path: "/a", message: "is not valid" });
});

const EVENT = {
  member_id: "m_01jt7a8pvcfnp9z85hr79f9z86",
  external_id: "tx-1",
  auth_code: "AUTH123",
  network: "visa",
  bin: "411111",
  merchant_id: "MID_STORE_01",
  authed_at: "2026-05-01T10:00:00Z",
};
const BIN = "must match ^[0-9]{6,8}$";
const BOTH = { cleared_at: "2026-05-02T10:00:00Z", reverted_at: "2026-05-02T10:00:00Z" };

const LARGE = LIMITS.ordinaryBodyBytes + 1;

/** The issues of a refused body, and the number of calls of the validator. */
function issuesOf(validator: Validate, body: unknown, bodyBytes = 0) {
  let calls = 0;
  let mostEntries = 0;
  const validate: Validate = Object.assign(
    (given: unknown) => {
      calls += 1;
      mostEntries = Math.max(mostEntries, calls === 1 ? 0 : (given as { events: unknown[] }).events?.length);
      const isSound = validator(given);
      validate.errors = validator.errors ?? null;
      return isSound;
    },
    { errors: null, schema: validator.schema ?? {} },
  );
  if (validate(body)) throw new Error("the body is sound");
  return { ...findIssues(validate, body, bodyBytes), calls, mostEntries };
}

const ofEvents = (events: unknown[], more: object = {}) =>
  issuesOf(VALIDATORS["transaction/ingest"], { events, ...more });
const ofManyEvents = (events: unknown[], more: object = {}) =>
  issuesOf(VALIDATORS["transaction/ingest"], { events, ...more }, LARGE);
const REQUIRED = ["member_id", "external_id", "auth_code", "network", "bin", "merchant_id", "authed_at"];

t.test("request issues - every fault of every malformed event is named, in order", async (t) => {
  const events = [
    EVENT,
    { ...EVENT, bin: "41111" },
    EVENT,
    "no event",
    { ...EVENT, ...BOTH },
    { ...EVENT, network: "x", bin: "" },
    { ...EVENT, tip: 1, cup: 2, amount: -1, authed_at: "yesterday" },
    { ...EVENT, merchant_id: undefined, auth_code: undefined },
    EVENT,
    {},
  ];
  const { issues, total } = ofEvents(JSON.parse(JSON.stringify(events)));
  t.strictSame(issues, [
    { path: "/events/1/bin", message: BIN },
    { path: "/events/3", message: "must be object" },
    { path: "/events/4", message: "must not have cleared_at together with reverted_at" },
    { path: "/events/5/network", message: "must be one of visa, mastercard, amex, other" },
    { path: "/events/5/bin", message: BIN },
    { path: "/events/6/tip", message: "is not a known field" },
    { path: "/events/6/cup", message: "is not a known field" },
    { path: "/events/6/amount", message: "must be at least 0" },
    { path: "/events/6/authed_at", message: FORMATS.timestamp.message },
    { path: "/events/7/auth_code", message: "is required" },
    { path: "/events/7/merchant_id", message: "is required" },
    ...REQUIRED.map((name) => ({ path: `/events/9/${name}`, message: "is required" })),
  ]);
  t.equal(total, 18);
});

t.test("request issues - at most 100 are listed, and how many there are is known", async (t) => {
  const bad = { ...EVENT, bin: "x" };
  t.equal(ofEvents(new Array(100).fill(bad)).issues.length, 100);
  const { issues, total } = ofEvents([EVENT, ...new Array(162).fill(bad), EVENT, { ...bad, tip: 1 }]);
  t.equal(issues.length, LIMITS.issuesPerAnswer);
  t.equal(total, 164);
  t.strictSame(issues.at(-1), { path: "/events/100/bin", message: BIN });
});

t.test(
  "request issues - a hostile body of ordinary size is counted, and a larger one not looked through",
  async (t) => {
    const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`k${n}`, 1]));
    const { issues, total } = issuesOf(VALIDATORS["member/list"], keys);
    t.equal(issues.length, LIMITS.issuesPerAnswer);
    t.equal(total, 40_001);
    t.equal(issuesOf(VALIDATORS["member/list"], keys, LARGE).total, 1);
    const many = ofEvents(new Array(100_000).fill({}));
    t.match(many, {
      issues: [{ path: "/events", message: "must have at most 5000 entries" }],
      total: 1,
      calls: 1,
    });
  },
);

t.test(
  "request issues - of a large body every malformed event is named by its first fault, in order",
  async (t) => {
    const events = [
      EVENT,
      { ...EVENT, bin: "41111" },
      EVENT,
      "no event",
      { ...EVENT, ...BOTH },
      { ...EVENT, network: "x", bin: "" },
      { ...EVENT, tip: 1 },
      { ...EVENT, merchant_id: undefined },
      EVENT,
    ];
    const { issues, total } = ofManyEvents(JSON.parse(JSON.stringify(events)));
    t.strictSame(issues, [
      { path: "/events/1/bin", message: BIN },
      { path: "/events/3", message: "must be object" },
      { path: "/events/4", message: "must not have cleared_at together with reverted_at" },
      { path: "/events/5/network", message: "must be one of visa, mastercard, amex, other" },
      { path: "/events/6/tip", message: "is not a known field" },
      { path: "/events/7/merchant_id", message: "is required" },
    ]);
    t.equal(total, 6);
  },
);

t.test("request issues - of a large body at most 100 are listed, too", async (t) => {
  const bad = { ...EVENT, bin: "x" };
  t.equal(ofManyEvents(new Array(100).fill(bad)).issues.length, 100);
  const { issues, total } = ofManyEvents([EVENT, ...new Array(162).fill(bad), EVENT, bad]);
  t.equal(issues.length, LIMITS.issuesPerAnswer);
  t.equal(total, 163);
  t.strictSame(issues.at(-1), { path: "/events/100/bin", message: BIN });
});

t.test(
  "request issues - in a large body each entry after the first bad one is judged once, and alone",
  async (t) => {
    const events = new Array(5000).fill(EVENT);
    events[10] = { ...EVENT, bin: "x" };
    const { calls, mostEntries } = ofManyEvents(events);
    t.equal(calls, 1 + 4989);
    t.equal(mostEntries, 1);
  },
);

t.test(
  "request issues - in a large body a fault found after the entries is named once, and last",
  async (t) => {
    const later = Object.assign(
      (body: unknown) => {
        const { rows, name } = body as { rows: number[]; name: unknown };
        const bad = rows.findIndex((row) => row < 0);
        const path = bad >= 0 ? `/rows/${bad}` : "/name";
        later.errors = [{ instancePath: path, keyword: "type", params: { type: "other" } }] as never;
        return bad < 0 && name === "right";
      },
      { errors: null as never },
    );
    const { issues, total } = issuesOf(later, { rows: [1, -1, 1, -1, 1, 1], name: "wrong" }, LARGE);
    t.strictSame(
      issues.map(({ path }) => path),
      ["/rows/1", "/rows/3", "/name"],
    );
    t.equal(total, 3);
  },
);

t.test("request issues - a fault outside the entries is one more issue", async (t) => {
  t.strictSame(ofEvents([EVENT, { ...EVENT, bin: "x" }], { dry_run: true }).issues, [
    { path: "/dry_run", message: "is not a known field" },
    { path: "/events/1/bin", message: BIN },
  ]);
  t.strictSame(ofEvents([]).issues, [{ path: "/events", message: "must have at least 1 entry" }]);
  const body = { payments: [{}, {}], retailer_id: 5 };
  const paths = issuesOf(PLATFORM_VALIDATORS["payment/ingest"], body).issues.map(({ path }) => path);
  t.ok(paths.includes("/retailer_id") && paths.includes("/payments/0/amount"));
  t.equal(paths.length, 11);
  for (const body of [null, [], "x", {}, { events: null }]) {
    t.equal(issuesOf(VALIDATORS["transaction/ingest"], body).issues.length, 1);
  }
});

t.test("request issues - so it is in every other body: members, refs, filters, offers", async (t) => {
  const members = [{ ref: "" }, { ref: "a" }, { ref: "b", attributes: { a: [1], "b/c": 1 } }];
  const member_base_id = "mb_01jt7a8pvcfnp9z85hr79f9z86";
  const upsert = issuesOf(VALIDATORS["member/bulk-upsert"], { member_base_id, members });
  t.match(upsert.issues, [{ path: "/members/0/ref" }, { path: "/members/2/attributes/a" }]);
  const refs = issuesOf(VALIDATORS["member/bulk-delete"], { member_base_id, refs: ["", ""] });
  t.strictSame(
    refs.issues.map(({ path }) => path),
    ["/refs/0", "/refs/1"],
  );
  const filters = [{ or: [{ key: "name" }, { key: "name", eq: 1 }] }, { key: "no", eq: "x" }];
  const listed = issuesOf(VALIDATORS["member-base/list"], { filters, pagination: { limit: 0, skip: -1 } });
  t.strictSame(listed.issues.map(({ path }) => path).sort(), [
    "/filters/0/or/0",
    "/filters/0/or/1/eq",
    "/filters/1/key",
    "/pagination/limit",
    "/pagination/skip",
  ]);
  const deal = issuesOf(PLATFORM_VALIDATORS["deal/upsert"], {
    name: "",
    reward_config: { type: "percent", percent: 0, max_amount: 0.5 },
    display_content: {},
    rules: { merchant_ids: [] },
  });
  t.strictSame(deal.issues.map(({ path }) => path).sort(), [
    "/display_content/description",
    "/display_content/image",
    "/display_content/summary",
    "/display_content/terms",
    "/display_content/title",
    "/name",
    "/reward_config/max_amount",
    "/reward_config/percent",
    "/rules/merchant_ids",
  ]);
});
