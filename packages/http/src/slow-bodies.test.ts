import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { ApiError, LIMITS } from "#contract";
import type { ApiOptions, Endpoint, TokenFault } from "./api.ts";
import { EndpointApi } from "./endpoint-api.ts";
import { type AdmittedRequest, type HttpRequest, type HttpResponse, isAdmitted } from "./server.ts";

/* Bodies that come later than their heads: the token is checked again. */

interface TestCaller {
  readonly name: string;
}
type Found = TestCaller | TokenFault;

const LATER_MS = 150;
const LARGE = JSON.stringify({ text: "x".repeat(LIMITS.largeBodyBytes) });

const requestOf = (token: string): HttpRequest => ({
  method: "POST",
  path: "/v1/thing/change",
  traceId: "0".repeat(32),
  traceparent: undefined,
  declaredLength: 2,
  startedAt: performance.now(),
  header: (name) => (name === "authorization" ? `Bearer ${token}` : "application/json"),
  isRepeated: () => false,
  remoteAddress: () => "192.0.2.1",
});

/** An API with one endpoint that changes something, and the names of its callers in the order of their bodies. */
function scene(
  authenticate: (token: string) => Found | Promise<Found>,
  more: Partial<ApiOptions<TestCaller>> = {},
) {
  const parsed: string[] = [];
  const endpoint: Endpoint<TestCaller> = {
    route: "thing/change",
    validate: () => {
      parsed.push("parsed");
      return true;
    },
    refuseCaller: () => undefined,
    run: () => ({ status: 200, body: "{}" }),
  };
  const api = new EndpointApi<TestCaller>({
    prefix: "/v1/",
    endpoints: [endpoint],
    authenticate,
    looksRight: () => true,
    senderOf: ({ name }) => name,
    observe: () => {},
    explainFault: () => undefined,
    onFault: (error) => t.fail(String(error)),
    ...more,
  });
  const admit = async (token: string) => {
    const admission = await api.admit(requestOf(token));
    if (!isAdmitted(admission)) throw new Error("it is refused by its head");
    return admission;
  };
  return { parsed, admit };
}

const answerTo = (admission: AdmittedRequest, body: string) =>
  new Promise<HttpResponse>((resolve) => admission.handle(new TextEncoder().encode(body), resolve));

for (const [kind, given] of [
  ["a token in memory", <T>(found: T): T | Promise<T> => found],
  ["a token that is looked up", <T>(found: T): T | Promise<T> => Promise.resolve(found)],
] as const) {
  t.test(`slow bodies - ${kind} that was revoked meanwhile changes nothing`, async (t) => {
    let isRevoked = false;
    const { parsed, admit } = scene((name) => given(isRevoked ? "revoked" : { name }));
    const [good, bad] = [await admit("ada"), await admit("ada")];
    await delay(LATER_MS);
    t.equal((await answerTo(good, "{}")).status, 200);
    isRevoked = true;
    t.equal((await answerTo(bad, "{}")).status, 401);
    t.equal(parsed.length, 1);
  });
}

t.test("slow bodies - a token that was checked a moment ago is not looked up again", async (t) => {
  let lookUps = 0;
  const { admit } = scene(async (name) => {
    lookUps++;
    await delay(LATER_MS);
    return { name };
  });
  t.equal((await answerTo(await admit("ada"), "{}")).status, 200);
  t.equal(lookUps, 1);
});

t.test(
  "slow bodies - if the token cannot be looked up, nothing has changed, and the answer says so",
  async (t) => {
    let isAway = false;
    const told: boolean[] = [];
    const { admit } = scene(
      async (name) => {
        if (isAway) throw new Error("away");
        return { name };
      },
      {
        explainFault: (_, mayHaveChanged) => {
          told.push(mayHaveChanged);
          return new ApiError("unavailable", "nothing was accepted");
        },
      },
    );
    const admission = await admit("ada");
    await delay(LATER_MS);
    isAway = true;
    t.equal((await answerTo(admission, "{}")).status, 503);
    t.strictSame(told, [false]);
  },
);

t.test(
  "slow bodies - large ones are parsed one in each turn of the event loop, also if looked up together",
  async (t) => {
    for (const given of [<T>(found: T): T | Promise<T> => found, <T>(found: T) => Promise.resolve(found)]) {
      const { parsed, admit } = scene((name) => given({ name }));
      // One sender: while several send, turns pause by timers, and two of these may be due in one turn of the loop.
      const admissions = await Promise.all(["ada", "ada", "ada", "ada"].map(admit));
      await delay(LATER_MS);
      let inOneTurn = 0;
      const answered = Promise.all(admissions.map((admission) => answerTo(admission, LARGE)));
      for (let before = 0; parsed.length < admissions.length; before = parsed.length) {
        await new Promise((resolve) => setImmediate(resolve));
        inOneTurn = Math.max(inOneTurn, parsed.length - before);
      }
      t.equal(inOneTurn, 1);
      for (const { status } of await answered) t.equal(status, 200);
    }
  },
);

t.test("slow bodies - those that are looked up are bounded like those that wait", async (t) => {
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const { admit } = scene((name) => {
    if (!isSlow) return { name };
    return new Promise((resolve) => waiting.push(() => resolve({ name })));
  });
  const bodies = Math.ceil(LIMITS.bufferedBodyBytes / LARGE.length);
  const admissions = await Promise.all(Array.from({ length: bodies }, () => admit("ada")));
  await delay(LATER_MS);
  isSlow = true;
  const answers = admissions.map((admission) => answerTo(admission, LARGE));
  for (const end of waiting) end();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  const refused = statuses.filter((status) => status === 503).length;
  t.ok(refused > 0 && refused < bodies, `${refused} of ${bodies} are refused`);
});
