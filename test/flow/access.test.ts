import { randomBytes } from "node:crypto";
import t from "tap";
import { ROUTES, type RouteName } from "#contract";
import { createTokenSecret } from "#domain";
import { type Pipeline, PublisherClient, type RawAnswer, startPipeline, waitFor } from "#test-support";
import { CLOCK_ERROR_MS, isTaken, shortLivedToken } from "./short-lived-token.ts";

/** Contract, section 3, for every route of the table. */

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];

t.test("access", async (t) => {
  let pipeline: Pipeline;
  let admin: PublisherClient;
  t.before(async () => {
    pipeline = await startPipeline({ begin: ["edge"] });
    admin = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  });
  t.teardown(() => pipeline.stop());

  const as = (token: string | undefined) => new PublisherClient(pipeline.edge.url, token);
  const newToken = async (access: "read" | "write", more: object = {}) =>
    (await admin.post("api-token/create", { access, description: "", ...more })).body;

  t.test(
    "a read token may call every route that reads, and no route that writes, with any body",
    async (t) => {
      const reader = as((await newToken("read")).token);
      for (const route of ROUTE_NAMES) {
        // The second is no request of any route: the refusal of a caller that may not write must not say what
        // would be right.
        for (const body of [{}, { nonsense: 1 }, "{"]) {
          const answer = await reader.post(route, body);
          if (ROUTES[route].access === "read") {
            t.ok([200, 400].includes(answer.status), `${route}: ${answer.status}`);
          } else {
            t.match(answer, {
              status: 403,
              body: { error: { code: "authorization_error", data: { required: "write" } } },
            });
          }
        }
      }
    },
  );

  t.test("a write token is refused no route", async (t) => {
    for (const route of ROUTE_NAMES) {
      t.match(await admin.post(route, { nonsense: 1 }), { status: 400 }, route);
    }
  });

  t.test("every route refuses tokens that do not count, in the same words", async (t) => {
    const revoked = await newToken("write");
    await admin.post("api-token/revoke", { id: revoked.id });
    const expired = await newToken("write", { expires_at: new Date(Date.now() + 60_000).toISOString() });
    // Long ago, because an edge knows the database's time only roughly.
    await pipeline.store`
      update api_tokens set expires_at = now() - interval '1 hour' where expires_at is not null`;
    const { token } = pipeline.publisher;
    const tokens: Array<[string, string | undefined]> = [
      ["none", undefined],
      ["empty", ""],
      ["garbage", "nonsense"],
      ["of the right form, but unknown", createTokenSecret(randomBytes(32))],
      ["with a wrong checksum", `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`],
      ["cut", token.slice(0, -1)],
      ["twice", `${token} ${token}`],
      ["in another case", token.toLowerCase()],
      ["revoked", revoked.token],
      ["expired", expired.token],
    ];
    for (const route of ROUTE_NAMES) {
      const answers = await Promise.all(tokens.map(([, secret]) => as(secret).post(route, {})));
      for (const [i, answer] of answers.entries()) {
        t.strictSame(refusal(answer), refusal(answers[0] as RawAnswer), `${route}, token ${tokens[i]?.[0]}`);
        t.match(answer, { status: 401, body: { error: { code: "authentication_error", data: {} } } });
        t.equal(answer.headers["www-authenticate"], "Bearer");
        t.equal(answer.headers["x-trace-id"], answer.body.error.trace_id);
      }
    }
  });

  t.test("a token is active, listed without its secret, and once revoked it is so for good", async (t) => {
    const { id, token } = await newToken("write", { description: "short" });
    t.match({ id, token }, { id: /^atok_/, token: /^stp_live_[0-9A-Za-z]{49}$/ });
    const { data } = (await admin.post("api-token/list", {})).body;
    t.match(
      data.find((entry: { id: string }) => entry.id === id),
      { access: "write", description: "short" },
    );
    t.notMatch(JSON.stringify(data), token);
    t.equal((await as(token).post("member-base/list", {})).status, 200);
    const { revoked_at } = (await admin.post("api-token/revoke", { id })).body;
    t.type(revoked_at, "string");
    for (let time = 0; time < 2; time++) {
      t.equal((await as(token).post("member-base/list", {})).status, 401);
      t.equal((await admin.post("api-token/revoke", { id })).body.revoked_at, revoked_at);
    }
    const unknown = { id: "atok_01h455vb4pex5vsknk084sn02q" };
    t.equal((await admin.post("api-token/revoke", unknown)).status, 404);
  });

  t.test("no request can make an expired token", async (t) => {
    const past = { access: "read", description: "", expires_at: "2020-01-01T00:00:00Z" };
    t.match(await admin.post("api-token/create", past), {
      status: 400,
      body: { error: { data: { issues: [{ path: "/expires_at" }] } } },
    });
  });

  t.test("a token is accepted until it expires, and not after, kept in memory or not", async (t) => {
    const { guest, expiresAt } = await shortLivedToken(pipeline.edge.url, admin);
    let acceptedAt = 0;
    const refusedAt = await waitFor(
      async () => {
        const askedAt = Date.now();
        if (!(await isTaken(guest))) return Date.now();
        acceptedAt = askedAt;
        return undefined;
      },
      { message: "the token does not expire", deadlineMs: 300_000 },
    );
    // To the millisecond in token-cache.test.ts; here the clocks of two processes are compared.
    t.ok(acceptedAt < expiresAt + CLOCK_ERROR_MS, "nothing is accepted past the expiry");
    t.ok(refusedAt >= expiresAt - CLOCK_ERROR_MS, "nothing is refused before it");
    t.notOk(await isTaken(guest), "and it is refused from then on");
  });

  t.test("a token may expire at a leap second, which Date does not know", async (t) => {
    const { body } = await admin.post("api-token/create", {
      access: "read",
      description: "",
      expires_at: "2098-12-31T23:59:60Z",
    });
    t.equal(body.expires_at, "2099-01-01T00:00:00.000Z");
    t.equal((await as(body.token).post("member-base/list", {})).status, 200);
  });
});

function refusal({ status, headers, body }: RawAnswer) {
  const { "x-trace-id": _trace, date: _date, ...rest } = headers;
  return { status, headers: rest, error: { ...body.error, trace_id: "" } };
}
