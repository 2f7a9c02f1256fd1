import t from "tap";
import type { Ask } from "./find-place.ts";
import { lookUp } from "./look-up.ts";
import { type Query, readQuery } from "./read-query.ts";

const SUFFIX = "01jt7a8pvcfnp9z85hr79f9z86";
const reader = { now: new Date("2026-11-23T16:00:00Z"), zone: "UTC" };
const query = (text: string) => readQuery(text) as Query;

type Answers = Readonly<Record<string, unknown | ((body: never) => unknown)>>;

/** Answers by route; a route without an answer has no such record, or an empty list. */
function asking(answers: Answers): { ask: Ask; asked: string[] } {
  const asked: string[] = [];
  const ask = async (route: string, body: unknown) => {
    asked.push(`${route} ${JSON.stringify(body)}`);
    const answer = answers[route];
    if (answer instanceof Error) throw answer;
    if (typeof answer === "function") return answer(body);
    if (answer !== undefined) return answer;
    if (/(list|find)$/.test(route)) return { data: [], page: { cursor: null, more: false } };
    throw Object.assign(new Error("no such record"), { code: "not_found" });
  };
  return { ask: ask as Ask, asked };
}

const TRANSACTION = {
  external_id: "order-1",
  merchant_id: "4711",
  amount: 1250,
  currency: "EUR",
  authed_at: "2026-11-23T14:00:00Z",
  state: "cleared",
};
const ADA = { id: `m_${SUFFIX}`, ref: "ada", member_base_id: "mb_1" };

t.test("look-up - a purchase, its rejected events, and a member, under one name", async (t) => {
  const { ask } = asking({
    "publisher.v1/transaction/get": TRANSACTION,
    "publisher.v1/transaction.rejection/list": {
      data: [
        {
          rejected_at: "2026-11-23T15:00:00Z",
          reason: "invalid_transition",
          from: "cleared",
          to: "reverted",
        },
      ],
      page: { more: false },
    },
    "publisher.v1/member/find": { data: [ADA], page: { cursor: null } },
  });
  t.strictSame(await lookUp(query("order-1"), ask, reader), {
    findings: [
      {
        kind: "Purchase",
        title: "order-1",
        detail: "12.50 EUR at merchant 4711, authorized at 14:00; cleared",
        path: "/purchase/order-1",
      },
      {
        kind: "Rejected",
        title: "1 rejected event",
        detail: "the last at 15:00: a cleared purchase cannot be reverted any more",
        path: "/purchase/order-1",
      },
      { kind: "Member", title: "ada", detail: "in the memberbase mb_1", path: `/member/m_${SUFFIX}` },
    ],
    missed: ["a retailer with this name or merchant id"],
    failed: [],
  });
});

t.test("look-up - without a finding: names what was looked for", async (t) => {
  const { findings, missed } = await lookUp(query("unknown"), asking({}).ask, reader);
  t.strictSame(findings, []);
  t.strictSame(missed, [
    "a purchase with this external_id",
    "a rejected event with this external_id (kept for 30 days)",
    "a member with this ref",
    "a retailer with this name or merchant id",
  ]);
});

t.test("look-up - an id leads to the record that it belongs to", async (t) => {
  const found = async (prefix: string, answers: Answers) => {
    const { findings } = await lookUp(query(`${prefix}_${SUFFIX}`), asking(answers).ask, reader);
    return findings.map(({ kind, path }) => `${kind} ${path}`);
  };
  const resolved = (answer: object) => ({ "publisher.v1/id/resolve": answer });
  for (const prefix of ["tx", "qp", "red", "cb", "evt"]) {
    t.match(await found(prefix, resolved({ transaction_ref: "a/b", member_id: ADA.id })), [
      / \/purchase\/a%2Fb$/,
    ]);
  }
  for (const prefix of ["sc", "clip"]) {
    t.match(await found(prefix, resolved({ member_id: ADA.id })), [new RegExp(`/member/${ADA.id}$`)]);
  }
  t.strictSame(
    await found("evt", resolved({})),
    ["Webhook event undefined"],
    "a test event belongs to no purchase",
  );
  t.strictSame(await found("m", { "publisher.v1/member/get": ADA }), [`Member /member/${ADA.id}`]);
  t.strictSame(await found("whk", { "publisher.v1/webhook/get": { url: "https://x", state: "paused" } }), [
    `Webhook /webhook/whk_${SUFFIX}`,
  ]);
  t.strictSame(
    await found("dlv", {
      "publisher.v1/webhook.delivery/get": { state: "failed", created_at: "2026-11-23T14:00:00Z" },
    }),
    [`Delivery /delivery/dlv_${SUFFIX}`],
  );
});

t.test("look-up - a failed look-up does not hide the findings of the others", async (t) => {
  const { ask } = asking({
    "publisher.v1/transaction/get": new Error("the API does not answer"),
    "publisher.v1/member/find": { data: [ADA], page: { cursor: null } },
  });
  const { findings, failed } = await lookUp(query("ada"), ask, reader);
  t.match(findings, [{ kind: "Member" }]);
  t.strictSame(failed, [{ what: "a purchase with this external_id", message: "the API does not answer" }]);
});

t.test("look-up - the search for members continues after empty pages", async (t) => {
  const { ask, asked } = asking({
    "publisher.v1/member/find": ({ pagination }: { pagination: { cursor: string | null } }) =>
      pagination.cursor === null
        ? { data: [], page: { cursor: "behind", more: true } }
        : { data: [ADA], page: { cursor: null, more: false } },
  });
  const { findings } = await lookUp(query("ada"), ask, reader);
  t.match(findings, [{ kind: "Member", title: "ada" }]);
  t.equal(asked.filter((line) => line.includes("member/find")).length, 2);
});

t.test("look-up - an id is looked for as a name only if no record has it", async (t) => {
  const id = `clip_${SUFFIX}`;
  const found = asking({ "publisher.v1/id/resolve": { member_id: ADA.id } });
  await lookUp(query(id), found.ask, reader);
  t.strictSame(found.asked, [`publisher.v1/id/resolve {"id":"${id}"}`]);
  const { ask } = asking({
    "publisher.v1/member/find": { data: [{ ...ADA, ref: id }], page: { cursor: null } },
  });
  const { findings, missed } = await lookUp(query(id), ask, reader);
  t.match(findings, [{ kind: "Member", title: id }], "a member has this ref");
  t.equal(missed[0], "a clip with this id");
});

const COFFEE = { id: `ret_${SUFFIX}`, name: "Corner Coffee", merchant_ids: ["M-1001", "M-1002"] };
const ELSEWHERE = { ...COFFEE, id: "ret_2", name: "Books", merchant_ids: ["M-2"] };
const adaAlone = ({ ref }: { ref: string }) => ({ data: ref === "ada" ? [ADA] : [], page: { cursor: null } });
const retailers = { data: [ELSEWHERE, COFFEE], page: { cursor: null, more: false } };

t.test("look-up - a retailer is found by its name and by a merchant id", async (t) => {
  const { ask } = asking({ "platform.v1/retailer/list": retailers });
  for (const text of ["corner", "Corner Coffee", "m-1002", "Corner Coffee, yesterday"]) {
    const { findings } = await lookUp(query(text), ask, reader);
    t.match(findings, [{ kind: "Retailer", title: "Corner Coffee", path: `/retailer/ret_${SUFFIX}` }], text);
  }
});

t.test("look-up - a member, a retailer and a day lead to the purchases there", async (t) => {
  const bought = (external_id: string, more: object) => ({ ...TRANSACTION, external_id, ...more });
  const { ask, asked } = asking({
    "platform.v1/retailer/list": retailers,
    "publisher.v1/member/find": adaAlone,
    "publisher.v1/transaction/list": {
      data: [
        bought("there", { merchant_id: "m-1002" }),
        bought("books", { merchant_id: "M-2" }),
        bought("by-statement", { merchant_id: "M-9", statement_descriptor: "CORNER COFFEE 12" }),
      ],
      page: { cursor: null, more: false },
    },
  });
  const { findings } = await lookUp(query("ada, Corner Coffee, 2026-11-22"), ask, reader);
  t.match(findings, [
    { kind: "Purchase", title: "there", path: "/purchase/there" },
    { kind: "Purchase", title: "by-statement" },
  ]);
  t.equal(findings.length, 2);
  const listed = asked.find((line) => line.includes("transaction/list")) ?? "";
  t.match(listed, /"member_id":"m_\w+","since":"2026-11-2[12]T.*","until":"2026-11-2[23]T/);
});

t.test(
  "look-up - a user who may not see retailers finds purchases by the statement, without a failure",
  async (t) => {
    const { ask } = asking({
      "platform.v1/retailer/list": Object.assign(new Error("not yours"), { code: "authorization_error" }),
      "publisher.v1/member/find": adaAlone,
      "publisher.v1/transaction/list": {
        data: [{ ...TRANSACTION, statement_descriptor: "CORNER COFFEE" }],
        page: { cursor: null, more: false },
      },
    });
    const { findings, failed } = await lookUp(query("ada, corner coffee"), ask, reader);
    t.match(findings, [{ kind: "Purchase", title: "order-1" }]);
    t.strictSame(failed, []);
  },
);
