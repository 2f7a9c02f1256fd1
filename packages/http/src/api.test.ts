import t from "tap";
import { ApiError } from "#contract";
import { type ApiOptions, type Endpoint, EndpointApi, type FailureLimit, type RequestRecord } from "./api.ts";
import type { HttpRequest, HttpResponse } from "./server.ts";

interface TestCaller {
  readonly name: string;
}

const endpoint: Endpoint<TestCaller> = {
  route: "thing/get",
  validate: (body) => typeof body === "object",
  refuseCaller: ({ name }) =>
    name === "barred" ? new ApiError("authorization_error", "not you", { required: "more" }) : undefined,
  run: ({ caller, body }) => ({ status: 200, body: JSON.stringify({ caller, body }) }),
};

/** The answer to a call with this token and body, and what the service learns of it. */
async function call(token: string, body: string, more: Partial<ApiOptions<TestCaller>> = {}) {
  const records: RequestRecord<TestCaller>[] = [];
  const api = new EndpointApi<TestCaller>({
    prefix: "/v1/",
    endpoints: [endpoint],
    authenticate: (name) =>
      name === "unknown" || name === "revoked" || name === "expired" ? name : { name },
    looksRight: () => true,
    observe: (record) => records.push(record),
    explainFault: () => undefined,
    onFault: (error) => t.fail(String(error)),
    ...more,
  });
  const headers: Record<string, string> = {
    authorization: token === "" ? "" : `Bearer ${token}`,
    "content-type": "application/json",
  };
  const request: HttpRequest = {
    method: "POST",
    path: "/v1/thing/get",
    query: "",
    traceId: "0".repeat(32),
    traceparent: undefined,
    startedAt: performance.now(),
    header: (name) => headers[name],
    remoteAddress: () => "192.0.2.1",
  };
  const response = await new Promise<HttpResponse>((resolve) => {
    const refused = api.admit(request);
    if (refused === undefined) api.handle(request, Buffer.from(body), resolve);
    else resolve(refused);
  });
  return { status: response.status, body: JSON.parse(String(response.body)), record: records[0] };
}

t.test("api - an endpoint has the caller that the service found, and so has the record", async (t) => {
  const { status, body, record } = await call("ada", "{}");
  t.equal(status, 200);
  t.strictSame(body, { caller: { name: "ada" }, body: {} });
  t.match(record, { code: "ok", route: "thing/get", caller: { name: "ada" } });
});

t.test(
  "api - a caller that may not call is refused whatever the body, and is named in the record",
  async (t) => {
    for (const body of ["{}", "[]", "no JSON", ""]) {
      const answer = await call("barred", body);
      t.equal(answer.status, 403, body);
      t.match(answer.body.error, { code: "authorization_error", data: { required: "more" } });
      t.match(answer.record, { code: "authorization_error", caller: { name: "barred" } });
    }
  },
);

t.test("api - what is wrong with a token is in the record, and not in the answer", async (t) => {
  const unlike = { looksRight: () => false };
  const answers = [
    { fault: "missing", ...(await call("", "{}")) },
    { fault: "malformed", ...(await call("ada", "{}", unlike)) },
    { fault: "unknown", ...(await call("unknown", "{}")) },
    { fault: "revoked", ...(await call("revoked", "{}")) },
    { fault: "expired", ...(await call("expired", "{}")) },
  ];
  for (const { fault, status, body, record } of answers) {
    t.equal(status, 401, fault);
    t.strictSame(body, answers[0]?.body, fault);
    t.match(record, { code: "authentication_error", authenticationFault: fault });
  }
  for (const name of ["ada", "barred"]) {
    t.equal((await call(name, "{}")).record?.authenticationFault, undefined, name);
  }
});

t.test("api - the rate comes before the right to call, and an unknown token before both", async (t) => {
  const limitRate = () => ({ headers: {}, refusal: new ApiError("rate_limited", "slower", {}, 1) });
  t.equal((await call("barred", "{}", { limitRate })).status, 429);
  t.equal((await call("unknown", "{}", { limitRate })).status, 401);
});

t.test("api - wrong tokens of every form are counted, and whoever sent too many is refused", async (t) => {
  const events: string[] = [];
  let isOver = false;
  const failures: FailureLimit = {
    begin: (request, token) => {
      const from = `${request.remoteAddress()} ${token}`;
      const refusal = isOver ? new ApiError("rate_limited", "too many", {}, 7) : undefined;
      return { refusal, failed: () => events.push(from) };
    },
  };
  const looksRight = (token: string) => token !== "malformed";
  t.match(await call("", "{}", { failures, looksRight }), { status: 401 });
  for (const token of ["malformed", "unknown", "revoked", "expired", "ada"]) {
    t.match(await call(token, "{}", { failures, looksRight }), { status: token === "ada" ? 200 : 401 });
  }
  const counted = ["malformed", "unknown", "revoked", "expired"];
  t.strictSame(
    events,
    counted.map((token) => `192.0.2.1 ${token}`),
    "one that is missing is no attempt",
  );
  isOver = true;
  for (const token of ["malformed", "ada"]) {
    const { status, record } = await call(token, "{}", { failures, looksRight });
    t.equal(status, 429);
    t.match(record, { code: "rate_limited", caller: undefined });
  }
  t.equal(events.length, counted.length, "what is refused counts no more");
});
