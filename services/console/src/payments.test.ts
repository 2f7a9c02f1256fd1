import t from "tap";
import { openConsole, startFakeApi } from "./test-console.ts";

const MINE = "tx_mine";
const THEIRS = "tx_theirs";
const payment = (payment_id: string, more: object = {}) => ({ retailer_id: "ret_1", payment_id, ...more });
const PAYMENTS = [
  payment("open"),
  payment("mine", { transaction_id: MINE }),
  payment("theirs", { transaction_id: THEIRS }),
  payment("given back by mine", { released_from: MINE }),
  payment("given back by theirs", { released_from: THEIRS }),
  payment("theirs, and mine before", { transaction_id: THEIRS, released_from: MINE }),
];
const SHOWN = ["open", "mine", "given back by mine"];

async function openShop(t: Parameters<typeof openConsole>[0], resolved = 404) {
  const api = await startFakeApi((path, body) => {
    const { id, payment_id } = body as { id?: string; payment_id?: string };
    if (path.endsWith("id/resolve")) return { status: id === MINE ? 200 : resolved, body: { error: {} } };
    if (path.endsWith("payment/list"))
      return { status: 200, body: { data: PAYMENTS, page: { cursor: "c" } } };
    return { status: 200, body: PAYMENTS.find((one) => one.payment_id === payment_id) };
  });
  t.teardown(() => api.close());
  const scene = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: "platform-token",
  });
  return { api, scene, support: await scene.visitor("support", scene.publisher.organisationId) };
}

t.test(
  "payments - support sees no payment of another organisation's purchase, and the audit has the look-up",
  async (t) => {
    const { api, scene, support } = await openShop(t);
    const list = await support.post("platform.v1/payment/list", { retailer_id: "ret_1" });
    t.strictSame(
      list.body.data.map(({ payment_id }: { payment_id: string }) => payment_id),
      SHOWN,
    );
    t.equal(list.body.page.cursor, "c");
    for (const { payment_id } of PAYMENTS) {
      const { status, body } = await support.post("platform.v1/payment/get", {
        retailer_id: "ret_1",
        payment_id,
      });
      t.equal(status, SHOWN.includes(payment_id) ? 200 : 404, payment_id);
      if (status === 404) t.match(body.error, { code: "not_found", data: { resource: "payment" } });
    }
    t.notMatch(JSON.stringify(list.body), /theirs/);
    t.equal((await support.post("platform.v1/payment/list", {})).status, 400, "of every retailer");
    const subjects = await scene.pipeline.store<{ action: string; subject: string }[]>`
    select distinct action, subject from console_audit where action like '%payment%' order by subject`;
    t.ok(subjects.some(({ action, subject }) => action.endsWith("payment/list") && subject === "ret_1"));
    t.ok(subjects.some(({ action, subject }) => action.endsWith("payment/get") && subject === "theirs"));
    t.ok(api.asked.length > 0);
  },
);

t.test("payments - a page has at most 50 payments, each with a question about its purchase", async (t) => {
  const { api, support } = await openShop(t);
  for (const pagination of [undefined, { limit: 1000 }, { cursor: "c" }, { limit: 7 }]) {
    await support.post("platform.v1/payment/list", { retailer_id: "ret_1", pagination });
  }
  const lists = api.asked.filter(({ path }) => path.endsWith("payment/list"));
  t.match(
    lists.map(({ body }) => (body as { pagination: object }).pagination),
    [{ limit: 50 }, { limit: 50 }, { cursor: "c", limit: 50 }, { limit: 7 }],
  );
});

t.test("payments - no payment is shown while the publisher does not answer", async (t) => {
  const { support } = await openShop(t, 503);
  const { status, body } = await support.post("platform.v1/payment/list", { retailer_id: "ret_1" });
  t.match({ status, body }, { status: 503, body: { error: { code: "unavailable" } } });
});
