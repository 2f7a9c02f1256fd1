import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { ApiError, LIMITS } from "#contract";
import { waitFor } from "#test-support";
import type { ApiOptions, Endpoint, FailureLimit, RequestRecord, TokenFault } from "./api.ts";
import { CallerLookUps } from "./caller-look-ups.ts";
import { EndpointApi } from "./endpoint-api.ts";
import { type HttpRequest, type HttpResponse, isAdmitted } from "./server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

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

type More = Partial<Omit<ApiOptions<TestCaller>, "senderOf">> & { readonly chunked?: boolean };

function requestOf(token: string, declaredLength: number | undefined): HttpRequest {
  const headers: Record<string, string> = {
    authorization: token === "" ? "" : `Bearer ${token}`,
    "content-type": "application/json",
  };
  return {
    method: "POST",
    path: "/v1/thing/get",
    traceId: "0".repeat(32),
    traceparent: undefined,
    declaredLength,
    startedAt: performance.now(),
    header: (name) => headers[name],
    isRepeated: () => false,
    remoteAddress: () => "192.0.2.1",
  };
}

/** The answer to a call with this token and body, and the service's record of it. */
async function call(
  token: string,
  body: string,
  more: More = {},
  handOver = (bytes: Uint8Array): Uint8Array => bytes,
) {
  const records: RequestRecord<TestCaller>[] = [];
  const api = new EndpointApi<TestCaller>({
    prefix: "/v1/",
    endpoints: [endpoint],
    authenticate: (name) =>
      name === "unknown" || name === "revoked" || name === "expired" ? name : { name },
    looksRight: () => true,
    senderOf: ({ name }) => name,
    observe: (record) => records.push(record),
    explainFault: () => undefined,
    onFault: (error) => t.fail(String(error)),
    ...more,
  });
  const admission = await api.admit(requestOf(token, more.chunked === true ? undefined : body.length));
  const response = await new Promise<HttpResponse>((resolve) => {
    if (isAdmitted(admission)) admission.handle(handOver(new TextEncoder().encode(body)), resolve);
    else resolve(admission);
  });
  const isBodyWanted = isAdmitted(admission);
  return {
    isBodyWanted,
    status: response.status,
    body: JSON.parse(String(response.body)),
    record: records[0],
  };
}

t.test("api - an endpoint has the caller that the service found, and so has the record", async (t) => {
  const { status, body, record } = await call("ada", "{}");
  t.equal(status, 200);
  t.strictSame(body, { caller: { name: "ada" }, body: {} });
  t.match(record, { code: "ok", route: "thing/get", caller: { name: "ada" } });
});

t.test(
  "api - a caller that may not call is refused before its body is read, and is named in the record",
  async (t) => {
    for (const body of ["{}", "[]", "no JSON", ""]) {
      const answer = await call("barred", body);
      t.equal(answer.status, 403, body);
      t.match(answer.body.error, { code: "authorization_error", data: { required: "more" } });
      t.match(answer.record, { code: "authorization_error", caller: { name: "barred" } });
    }
  },
);

t.test("api - the fault of a token is in the record, and not in the answer", async (t) => {
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

t.test(
  "api - a body for which there is no room is refused by its head, or before it is parsed",
  async (t) => {
    const refuseUnparsed = (_caller: TestCaller, bytes: number) =>
      bytes > 10 ? new ApiError("unavailable", "full", {}, 1) : undefined;
    const more = { endpoints: [{ ...endpoint, refuseUnparsed }] };
    t.match(await call("ada", "{}", more), { status: 200, isBodyWanted: true });
    const long = " ".repeat(20);
    t.match(await call("ada", long, more), { status: 503, isBodyWanted: false });
    t.match(await call("ada", long, { ...more, chunked: true }), { status: 503, isBodyWanted: true });
    t.match(await call("barred", long, more), { status: 403 }, "the refusal says that it may not call");
  },
);

t.test("api - neither a body nor its value is kept until the answer", async (t) => {
  for (const [name, isHeavy, bytes] of [
    ["small", false, 100],
    ["large", false, LIMITS.largeBodyBytes],
    ["heavy", true, LIMITS.largeBodyBytes],
  ] as const) {
    const kept: WeakRef<object>[] = [];
    let answer: (response: HttpResponse) => void = () => {};
    const waits: Endpoint<TestCaller> = {
      ...endpoint,
      isHeavy,
      run: ({ body }) => {
        kept.push(new WeakRef(body as object));
        return new Promise((resolve) => (answer = resolve));
      },
    };
    const handOver = (body: Uint8Array) => {
      kept.push(new WeakRef(body));
      return body;
    };
    const text = JSON.stringify({ thing: "x".repeat(bytes) });
    const answered = call("ada", text, { endpoints: [waits] }, handOver);
    const isGone = () => {
      collectGarbage();
      return kept.length === 2 && kept.every((one) => one.deref() === undefined);
    };
    await waitFor(isGone, { message: `a ${name} body is kept` });
    answer({ status: 200, body: "{}" });
    t.equal((await answered).status, 200, name);
  }
});

t.test("api - the rate comes before the right to call, and an unknown token before both", async (t) => {
  const limitRate = () => ({ headers: {}, refusal: new ApiError("rate_limited", "slower", {}, 1) });
  t.equal((await call("barred", "{}", { limitRate })).status, 429);
  t.equal((await call("unknown", "{}", { limitRate })).status, 401);
});

t.test("api - wrong tokens of every form are counted, and too many are refused", async (t) => {
  const events: string[] = [];
  let isOver = false;
  const failures: FailureLimit = {
    begin: (request, token) => {
      const from = `${request.remoteAddress()} ${token}`;
      return {
        end: (outcome) => {
          if (outcome === "right") return undefined;
          if (isOver) return new ApiError("rate_limited", "too many", {}, 7);
          events.push(from);
          return undefined;
        },
      };
    },
    forget: () => undefined,
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
  for (const token of ["malformed", "unknown"]) {
    const { status, record } = await call(token, "{}", { failures, looksRight });
    t.equal(status, 429);
    t.match(record, { code: "rate_limited", caller: undefined });
  }
  t.equal(
    (await call("ada", "{}", { failures, looksRight })).status,
    200,
    "a right one is found all the same",
  );
  t.equal(events.length, counted.length, "refused requests do not count");
});

t.test(
  "api - a caller without the right is refused without the body, and a valid token is looked up only once",
  async (t) => {
    const limitRate = () => ({ headers: {}, refusal: new ApiError("rate_limited", "slower", {}, 1) });
    for (const name of ["unknown", "revoked", "expired", "barred"]) {
      t.equal((await call(name, "{}")).isBodyWanted, false, name);
      const authenticate = async () => (name === "barred" ? { name } : (name as TokenFault));
      t.equal((await call(name, "{}", { authenticate })).isBodyWanted, false, `${name}, looked up`);
    }
    t.equal((await call("ada", "{}", { limitRate })).isBodyWanted, false, "over its rate");
    let asked = 0;
    const authenticate = (name: string) => {
      asked++;
      return { name };
    };
    t.equal((await call("ada", "{}", { authenticate })).isBodyWanted, true);
    t.equal(asked, 1);
  },
);

t.test("api - a look-up that has no answer is the service's fault, and explained", async (t) => {
  const authenticate = () => Promise.reject(new Error("away"));
  const explainFault = () => new ApiError("unavailable", "the database is away", {}, 1);
  const { status, isBodyWanted, record } = await call("ada", "{}", { authenticate, explainFault });
  t.strictSame({ status, isBodyWanted }, { status: 503, isBodyWanted: false });
  t.match(record, { code: "unavailable" });
});

t.test("api - the look-ups that wait have a limit, and no known token waits for them", async (t) => {
  let answer: (caller: TestCaller) => void = () => undefined;
  const away = new Promise<TestCaller>((resolve) => {
    answer = resolve;
  });
  const outcomes: string[] = [];
  const failures: FailureLimit = {
    begin: (_request, token) =>
      token === "known"
        ? undefined
        : {
            end: (outcome) => {
              outcomes.push(outcome);
              return undefined;
            },
          },
    forget: () => undefined,
  };
  const authenticate = (name: string) => (name === "known" ? { name } : away);
  const callers = new CallerLookUps<TestCaller>({ authenticate, looksRight: () => true, failures });
  const request = { header: () => "", remoteAddress: () => "" } as unknown as HttpRequest;
  const waiting = Array.from({ length: LIMITS.tokenLookUps }, () => callers.find(request, "new"));
  t.match(await callers.find(request, "new"), { refusal: { code: "unavailable" } });
  t.strictSame(outcomes, ["unknown"]);
  t.strictSame(callers.find(request, "known"), { name: "known" });
  answer({ name: "ada" });
  t.strictSame(new Set(await Promise.all(waiting)), new Set([await away]));
  t.strictSame(await callers.find(request, "new"), { name: "ada" }, "the places come back");
});

t.test(
  "api - a large body waits for its turn, and a small one of another is answered before it",
  async (t) => {
    const answered: string[] = [];
    const api = new EndpointApi<TestCaller>({
      prefix: "/v1/",
      endpoints: [endpoint],
      authenticate: (name) => ({ name }),
      looksRight: () => true,
      senderOf: ({ name }) => name,
      observe: ({ caller }) => answered.push(caller?.name ?? ""),
      explainFault: () => undefined,
      onFault: (error) => t.fail(String(error)),
    });
    const send = async (name: string, body: string) => {
      const admission = await api.admit(requestOf(name, body.length));
      return new Promise<HttpResponse>((resolve) => {
        if (isAdmitted(admission)) admission.handle(Buffer.from(body), resolve);
        else resolve(admission);
      });
    };
    const large = JSON.stringify({ text: "x".repeat(LIMITS.largeBodyBytes) });
    const answers = await Promise.all([send("loud", large), send("loud", large), send("quiet", "{}")]);
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    t.strictSame(answered, ["quiet", "loud", "loud"]);
  },
);
