import t from "tap";
import { openConsole, startFakeApi } from "./test-console.ts";

const HASH = "0123456789abcdef".repeat(4);

t.test("answers - secrets are left out and identifiers cut short, at any depth", async (t) => {
  const api = await startFakeApi(() => ({
    status: 200,
    body: {
      id: "ret_1",
      token: "stp_live_secret",
      data: [
        {
          secret: "whsec_secret",
          secrets: ["whsec_secret"],
          auth_code: "A1B2C3",
          bin: "45717360",
          name: "kept",
        },
      ],
      transaction: { identifiers: [HASH, HASH] },
    },
  }));
  t.teardown(() => api.close());
  const scene = await openConsole(t, {
    STAMPEDE_CONSOLE_PUBLISHER_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_URL: api.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: "platform-token",
  });
  const ada = await scene.visitor("administrator");
  for (const route of ["platform.v1/retailer/upsert", "publisher.v1/webhook/get"]) {
    const { text, body } = await ada.post(route, {}, { reason: "a test" });
    t.notMatch(text, /secret|A1B2C3|45717360|platform-token/, route);
    t.strictSame(body.data, [{ name: "kept" }]);
    t.strictSame(body.transaction.identifiers, ["01234567…", "01234567…"]);
  }
});

t.test("answers - an error of an API is passed on unchanged, with its retry-after", async (t) => {
  const error = { code: "conflict", message: "taken", data: { reason: "merchant_id_taken" }, trace_id: "x" };
  const api = await startFakeApi(() => ({ status: 409, body: { error } }));
  t.teardown(() => api.close());
  const { visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  const answer = await ada.post("publisher.v1/webhook/get", { id: "whk_1" });
  t.match(answer, { status: 409, body: { error } });
  t.equal(answer.headers["cache-control"], "no-store");
});

t.test(
  "requests - a body that is too large, not JSON or not an object is refused before an API is called",
  async (t) => {
    const api = await startFakeApi(() => ({ status: 200, body: {} }));
    t.teardown(() => api.close());
    const { visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
    const ada = await visitor("operator");
    const ask = async (body: string) => (await ada.post("publisher.v1/webhook/get", body)).status;
    t.equal(await ask(JSON.stringify({ id: "x".repeat(256 * 1024) })), 413);
    for (const body of ["", "{", "[]", "null", '"x"', "1"]) t.equal(await ask(body), 400, body);
    t.strictSame(api.asked, []);
  },
);

t.test("requests - the API gets the values that the audit has read, even if a key is repeated", async (t) => {
  const api = await startFakeApi(() => ({ status: 200, body: {} }));
  t.teardown(() => api.close());
  const { pipeline, visitor } = await openConsole(t, { STAMPEDE_CONSOLE_PUBLISHER_URL: api.url });
  const ada = await visitor("operator");
  await ada.post("publisher.v1/member/get", '{"id":"m_1","id":"m_2"}');
  t.strictSame(
    api.asked.map(({ body }) => body),
    [{ id: "m_2" }],
  );
  t.strictSame(await pipeline.store`select subject from console_audit`, [{ subject: "m_2" }]);
});
