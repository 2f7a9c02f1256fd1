import { createRegistry, MetricFactory } from "#runtime";
import { waitFor } from "#test-support";
import type { RequestRecord } from "./api.ts";
import { countRequests } from "./request-metrics.ts";
import type { HttpServer } from "./server.ts";
import { held, overBothAdapters, post, serve } from "./test-server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

function measured(server: HttpServer) {
  const registry = createRegistry("edge", "1");
  const count = countRequests(new MetricFactory(registry), ["thing/get"], () => server.stats());
  const values = async (name: string) => {
    const metric = await registry.getSingleMetric(name)?.get();
    return metric?.values ?? [];
  };
  const value = async (name: string, labels: object = {}) =>
    (await values(name)).find((sample) => JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
  return { count, value, values };
}

const record = (more: Partial<RequestRecord<never>>) => ({
  route: "thing/get",
  code: "ok" as const,
  durationMs: 20,
  traceId: TRACE,
  authenticationFault: undefined,
  ...more,
});

overBothAdapters((adapter, t) => {
  t.test(
    "request metrics - a caller that hangs up while its request is handled is counted as aborted",
    async (t) => {
      const { next, handle } = held();
      const { server, connect } = await serve(t, adapter, { api: { handle } });
      const { value } = measured(server);
      t.equal(await value("stampede_http_requests_aborted_total"), 0, "known before the first");
      const connection = await connect();
      connection.send(post("/thing/get", "{}"));
      const { respond } = await next();
      connection.destroy();
      // While a request is handled, uWebSockets.js reads nothing, not even the end.
      const aborted = adapter === "node" ? 1 : 0;
      await waitFor(() => server.stats().aborted === aborted, { message: "the abort is seen" });
      respond({ status: 200, body: "{}" });
      t.equal(await value("stampede_http_requests_aborted_total"), aborted);
      t.equal(
        await value("stampede_http_requests_aborted_total"),
        aborted,
        "a scrape does not count it again",
      );
    },
  );

  t.test("request metrics - a caller that hangs up in the middle of its body is aborted too", async (t) => {
    const { server, connect } = await serve(t, adapter);
    const { value } = measured(server);
    const connection = await connect();
    connection.send(post("/thing/get", "{}").slice(0, -1));
    await waitFor(() => server.stats().inFlight === 1, { message: "the head has come" });
    t.equal(await value("stampede_http_buffered_bytes"), server.stats().bufferedBytes);
    connection.destroy();
    await waitFor(() => server.stats().aborted === 1, { message: "the abort is seen" });
    t.equal(await value("stampede_http_requests_aborted_total"), 1);
    t.equal(await value("stampede_http_buffered_bytes"), 0);
  });

  t.test("request metrics - a refusal of the server itself is counted by its code", async (t) => {
    const { server, connect } = await serve(t, adapter, { limits: { bodyBytes: 10 } });
    const { value } = measured(server);
    const count = (code: string) => value("stampede_http_requests_total", { route: "unknown", code });
    for (const code of ["bad_request", "payload_too_large", "unavailable"])
      t.equal(await count(code), 0, code);
    const large = await connect();
    large.send(post("/thing/get", "x".repeat(11)));
    t.equal((await large.response()).status, 413);
    const broken = await connect();
    broken.send("POST /thing/get HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n");
    t.equal((await broken.response()).status, 400);
    t.equal(await count("payload_too_large"), 1);
    t.equal(await count("payload_too_large"), 1, "a scrape does not count it again");
  });

  t.test(
    "request metrics - requests and their durations are counted by route and code, with a trace id",
    async (t) => {
      const { server } = await serve(t, adapter);
      const { count, value, values } = measured(server);
      count(record({}));
      count(record({ code: "not_found", durationMs: 700 }));
      t.equal(await value("stampede_http_requests_total", { route: "thing/get", code: "not_found" }), 1);
      const durations = (await values("stampede_http_request_duration_seconds")) as Array<{
        metricName?: string;
        labels: Record<string, string | number>;
        value: number;
        exemplar?: { labelSet: object; value: number };
      }>;
      const slow = durations.filter(({ labels }) => labels.code === "not_found");
      t.match(
        slow.find(({ labels }) => labels.le === 1),
        { value: 1, exemplar: { labelSet: { trace_id: TRACE }, value: 0.7 } },
      );
      const none = durations.find(
        (sample) => sample.metricName?.endsWith("_count") && sample.labels.route === "docs",
      );
      t.equal(none?.value, 0, "a route without requests is known");
    },
  );

  t.test("request metrics - a request without a caller is counted by the fault of its token", async (t) => {
    const { server } = await serve(t, adapter);
    const { count: countRequest, value } = measured(server);
    for (const reason of ["missing", "malformed", "unknown", "revoked", "expired"] as const) {
      const count = () => value("stampede_http_authentication_failures_total", { reason });
      t.equal(await count(), 0, reason);
      countRequest(record({ code: "authentication_error", authenticationFault: reason }));
      t.equal(await count(), 1, reason);
    }
  });
});
