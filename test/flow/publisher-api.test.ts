import { readFileSync } from "node:fs";
import t from "tap";
import { hasUws } from "#http";
import { makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/** The same claims over both HTTP adapters. */
for (const adapter of ["uws", "node"] as const) {
  const skip = adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node";
  t.test(`publisher API over ${adapter}`, { skip }, async (t) => {
    let pipeline: Pipeline;
    let client: PublisherClient;
    t.before(async () => {
      pipeline = await startPipeline({ env: { STAMPEDE_HTTP_ADAPTER: adapter } });
      client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    });
    t.teardown(() => pipeline.stop());

    t.test("a request without a valid token is 401, for each fault of a token", async (t) => {
      const wrong = [
        undefined,
        "",
        "nonsense",
        `${pipeline.publisher.token}x`,
        pipeline.publisher.token.slice(0, -1),
      ];
      for (const token of [...wrong, "stp_live_0000000000000000000000000000000000000000000000000"]) {
        const answer = await new PublisherClient(pipeline.edge.url, token).post("member-base/list", {});
        t.match(answer, {
          status: 401,
          headers: { "www-authenticate": "Bearer" },
          body: { error: { code: "authentication_error", data: {} } },
        });
        t.equal(answer.headers["x-trace-id"], answer.body.error.trace_id);
      }
    });

    t.test("a read token reads and does not write", async (t) => {
      const created = await client.post("api-token/create", { access: "read", description: "reporting" });
      t.match(created, {
        status: 200,
        body: { id: /^atok_/, access: "read", token: /^stp_live_[0-9A-Za-z]{49}$/ },
      });
      const reader = new PublisherClient(pipeline.edge.url, created.body.token);
      t.match(await reader.post("member-base/list", {}), { status: 200 });
      t.match(await reader.post("member-base/create", { name: "no" }), {
        status: 403,
        body: { error: { code: "authorization_error", data: { required: "write" } } },
      });
    });

    t.test("a token is listed without its secret, revoked for good, and refused from then on", async (t) => {
      const created = await client.post("api-token/create", { access: "write", description: "short" });
      const { id, token } = created.body;
      const listed = await client.post("api-token/list", {});
      t.match(
        listed.body.data.find((entry: { id: string }) => entry.id === id),
        { access: "write", description: "short" },
      );
      t.notMatch(JSON.stringify(listed.body), token);
      const user = new PublisherClient(pipeline.edge.url, token);
      t.match(await user.post("member-base/list", {}), { status: 200 });
      const revoked = await client.post("api-token/revoke", { id });
      t.match(revoked, { status: 200, body: { id, revoked_at: String } });
      t.match(await user.post("member-base/list", {}), { status: 401 });
      t.strictSame((await client.post("api-token/revoke", { id })).body.revoked_at, revoked.body.revoked_at);
      t.match(await client.post("api-token/revoke", { id: "atok_01h455vb4pex5vsknk084sn02q" }), {
        status: 404,
      });
    });

    t.test("a token expires on its second, and no request can make an expired one", async (t) => {
      t.match(
        await client.post("api-token/create", {
          access: "read",
          description: "",
          expires_at: "2020-01-01T00:00:00Z",
        }),
        { status: 400, body: { error: { data: { issues: [{ path: "/expires_at" }] } } } },
      );
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const created = await client.post("api-token/create", {
        access: "read",
        description: "",
        expires_at: expires,
      });
      t.equal(created.body.expires_at, expires);
      const user = new PublisherClient(pipeline.edge.url, created.body.token);
      t.match(await user.post("member-base/list", {}), { status: 200 });
      // Directly in the database: the edge sees it when it reads the grant again, every four seconds.
      await pipeline.store`update api_tokens set expires_at = now() where expires_at = ${expires}`;
      await waitFor(async () => (await user.post("member-base/list", {})).status === 401, {
        message: "the expired token is still accepted",
      });
    });

    t.test("memberbases are made, read and walked page by page", async (t) => {
      const other = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
      const ids: string[] = [];
      for (const name of ["one", "two", "three"]) {
        ids.push((await other.post("member-base/create", { name })).body.id);
      }
      t.match(await other.post("member-base/get", { id: ids[0] }), {
        status: 200,
        body: { id: ids[0], name: "one" },
      });
      const first = await other.post("member-base/list", { pagination: { limit: 2 } });
      t.match(first.body.page, { page_size: 2, total: 3, more: true, cursor: String });
      const second = await other.post("member-base/list", {
        pagination: { limit: 2, cursor: first.body.page.cursor },
      });
      t.match(second.body.page, { page_size: 1, total: 3, more: false, cursor: null });
      const walked = [...first.body.data, ...second.body.data].map((entry: { id: string }) => entry.id);
      t.strictSame(walked, ids);
      const { cursor } = first.body.page;
      for (const bad of [`${cursor}A`, cursor.slice(0, -2), "nonsense", ""]) {
        t.match(await other.post("member-base/list", { pagination: { cursor: bad } }), {
          status: 400,
          body: { error: { data: { issues: [{ path: "/pagination/cursor" }] } } },
        });
      }
      t.match(
        await client.post("member-base/list", { pagination: { cursor } }),
        { status: 400 },
        "bound to its owner",
      );
      t.match(
        await other.post("api-token/list", { pagination: { cursor } }),
        { status: 400 },
        "bound to its list",
      );
    });

    t.test("members are upserted in order, merged by attribute, and read by id or ref", async (t) => {
      const base = (await client.post("member-base/create", { name: "members" })).body.id;
      const upsert = (members: unknown[]) =>
        client.post("member/bulk-upsert", { member_base_id: base, members });
      const [a, b] = (await upsert([{ ref: "a", attributes: { tier: "gold", tags: ["x"] } }, { ref: "b" }]))
        .body;
      t.strictSame((await upsert([{ ref: "b" }, { ref: "a", attributes: { tier: null, age: 7 } }])).body, [
        b,
        a,
      ]);
      const byRef = await client.post("member/get", { member_base_id: base, ref: "a" });
      t.match(byRef, { status: 200, body: { id: a, member_base_id: base, ref: "a" } });
      t.strictSame(byRef.body.attributes, { tags: ["x"], age: 7 });
      t.strictSame((await client.post("member/get", { id: a })).body, byRef.body);
      t.match(await client.post("member/get", { id: b.replace("m_", "mb_") }), { status: 404 });
    });

    t.test("another organisation's records seem not to exist: same status, same words", async (t) => {
      const stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
      const base = (await client.post("member-base/create", { name: "mine" })).body.id;
      const [member] = (await client.enrol("mine")) as [string];
      const event = makeEvent(member);
      await client.ingest([event]);
      const token = (await client.post("api-token/create", { access: "read", description: "" })).body.id;
      const probes: Array<[string, unknown, unknown]> = [
        ["member-base/get", { id: base }, { id: "mb_01h455vb4pex5vsknk084sn02q" }],
        ["member/get", { id: member }, { id: "m_01h455vb4pex5vsknk084sn02q" }],
        [
          "member/get",
          { member_base_id: base, ref: "mine" },
          { member_base_id: "mb_01h455vb4pex5vsknk084sn02q", ref: "x" },
        ],
        [
          "member/bulk-upsert",
          { member_base_id: base, members: [{ ref: "x" }] },
          { member_base_id: "mb_01h455vb4pex5vsknk084sn02q", members: [{ ref: "x" }] },
        ],
        ["transaction/get", { external_id: event.external_id }, { external_id: "none" }],
        ["api-token/revoke", { id: token }, { id: "atok_01h455vb4pex5vsknk084sn02q" }],
      ];
      for (const [route, theirs, nobodys] of probes) {
        const [foreign, missing] = [await stranger.post(route, theirs), await stranger.post(route, nobodys)];
        t.equal(foreign.status, 404, route);
        for (const answer of [foreign, missing]) answer.body.error.trace_id = "";
        t.strictSame(foreign.body, missing.body, route);
      }
      t.match(await stranger.ingest([makeEvent(member)]), { status: 404 });
      t.match(await stranger.post("member-base/list", {}), { body: { data: [], page: { total: 0 } } });
    });

    t.test("an invalid request is refused with the place of the fault", async (t) => {
      t.match(await client.post("no/such", {}), { status: 404, body: { error: { code: "not_found" } } });
      t.match(await client.post("member-base/list", "{"), {
        status: 400,
        body: { error: { code: "bad_request" } },
      });
      t.match(await client.post("member-base/list", "[]"), { status: 400 });
      t.match(await client.post("member-base/list", { filter: [] }), {
        status: 400,
        body: { error: { data: { issues: [{ path: "/filter", message: "is not a known field" }] } } },
      });
      const events = Array.from({ length: 163 }, () =>
        makeEvent("m_01h455vb4pex5vsknk084sn02q", { bin: "4" }),
      );
      const { status, body } = await client.ingest(events);
      t.equal(status, 400);
      t.equal(body.error.message, "/events/0/bin must match ^[0-9]{6,8}$, and 162 more");
      t.equal(body.error.data.issues.length, 100);
      t.equal(body.error.data.issues[99].path, "/events/99/bin");
      t.equal(body.error.data.issues_total, 163);
      t.match(await client.post("member-base/list", "{}", { "content-type": "text/plain" }), {
        status: 415,
        body: { error: { code: "unsupported_media_type" } },
      });
    });

    t.test(
      "the trace id of a traceparent comes back, is in the log line, and is made up otherwise",
      async (t) => {
        const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        const answer = await client.post(
          "member-base/list",
          {},
          { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        );
        t.equal(answer.headers["x-trace-id"], trace);
        const logged = () => pipeline.edge.output().includes(`"traceId":"${trace}"`);
        t.ok(await waitFor(logged, { message: "no log line carries the trace id" }));
        t.match((await client.post("member-base/list", {})).headers["x-trace-id"], /^[0-9a-f]{32}$/);
      },
    );

    t.test(
      "the trace id of an ingest request is in the log line of the batch that took its events",
      async (t) => {
        const [member] = (await client.enrol("traced")) as [string];
        const answer = await client.ingest([makeEvent(member)]);
        const line = () =>
          pipeline.ingest
            .output()
            .split("\n")
            .find(
              (text) => text.includes('"msg":"batch"') && text.includes(String(answer.headers["x-trace-id"])),
            );
        t.ok(await waitFor(line, { message: "ingest did not log the request's trace id" }));
      },
    );

    t.test("identifiers are those of the published vectors", async (t) => {
      const file = new URL("../../../test/vectors/transaction-identifiers.json", import.meta.url);
      const { vectors } = JSON.parse(readFileSync(file, "utf8"));
      const [member] = (await client.enrol("vectors")) as [string];
      for (const { identifiers, ...card } of vectors) {
        const event = makeEvent(member, card);
        t.match(await client.ingest([event]), { status: 200 });
        const stored = await client.post("transaction/get", { external_id: event.external_id });
        t.strictSame(stored.body.identifiers, identifiers);
      }
    });
  });
}
