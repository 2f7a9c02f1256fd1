import { randomBytes } from "node:crypto";
import t from "tap";
import { verifyWebhook } from "#client";
import {
  type CollectedSpan,
  makeEvent,
  type OtlpCollector,
  type ReceivedRequest,
  startOtlpCollector,
  startWebhookReceiver,
  type WebhookReceiver,
  waitFor,
} from "#test-support";
import { DISPLAY_CONTENT, LoyaltyLoop } from "./loyalty-loop.ts";

/**
 * The whole pipeline with a collector: parents and links lead from the request with a transaction over every
 * hop to the webhook with its cashback, and the collector gets nothing but spans.
 */
t.setTimeout(400_000);

const SHOP = "ROASTERY-1";
const PROGRAM = {
  name: "Every coffee",
  qualifying_threshold: 1,
  reward_config: { type: "fixed-reward", amount: 300 },
  rules: { merchant_ids: [SHOP], currency: "EUR" },
};

let collector: OtlpCollector;
let receiver: WebhookReceiver;
let loop: LoyaltyLoop;
let ada: string;
let secret: string;
let webhook: string;

t.before(async () => {
  collector = await startOtlpCollector();
  receiver = await startWebhookReceiver();
  loop = await LoyaltyLoop.open(t, {
    env: {
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
  });
  await loop.pipeline.start("webhooks");
  await loop.opensShop("Roastery", SHOP);
  const program = await loop.offers("loyalty-program", PROGRAM);
  ada = await loop.joins("ada");
  await loop.enrols(ada, program);
  // If relinking finds a purchase before its own record arrives, relinking's message decides it, which
  // follows from no request.
  const areTold = async () => (await loop.pipeline.store`select 1 from new_links`).length === 0;
  await waitFor(areTold, { message: "the enrolment is not told" });
  const { body } = await loop.integrator.post("webhook/create", {
    url: `${receiver.url}/hooks/PATH-SECRET?key=QUERY-SECRET`,
    events: ["cashback.created", "cashback.cleared"],
  });
  secret = body.secret;
  webhook = body.id;
});
// After the services, which end with the test, and would wait for a collector that is gone.
t.teardown(async () => {
  await receiver.close();
  await collector.close();
});

/** A `traceparent` as a caller sends it. */
function caller(flags = "01") {
  const traceId = randomBytes(16).toString("hex");
  const spanId = randomBytes(8).toString("hex");
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

const headersOf = ({ traceparent }: { traceparent: string }) => ({ traceparent });

const coffee = (changes = {}) => {
  const auth_code = randomBytes(3).toString("hex").toUpperCase();
  return makeEvent(ada, { auth_code, merchant_id: SHOP, amount: 450, currency: "EUR", ...changes });
};

/**
 * All spans that follow from those of a trace: those in it, those that link to it, and those that follow from
 * these.
 */
function following(traceId: string): CollectedSpan[] {
  const traces = new Set([traceId]);
  for (let before = 0; before < traces.size; ) {
    before = traces.size;
    for (const span of collector.spans) {
      if (span.links.some((link) => traces.has(link.traceId))) traces.add(span.traceId);
    }
  }
  return collector.spans.filter((span) => traces.has(span.traceId));
}

const shortOf = ({ service, name }: CollectedSpan) => `${service.replace("stampede-", "")} ${name}`;

/** The hops of a trace, once all these hops exist. */
async function hops(traceId: string, wanted: readonly string[]): Promise<Map<string, CollectedSpan>> {
  const found = () => new Map(following(traceId).map((span) => [shortOf(span), span]));
  const missing = () => wanted.filter((hop) => !found().has(hop));
  await waitFor(() => missing().length === 0, { message: "a hop is missing" }).catch((error) => {
    throw new Error(`not traced: ${missing().join(", ")}; there are ${[...found().keys()].join(", ")}`, {
      cause: error,
    });
  });
  return found();
}

/** Sends the request with a transaction. */
async function told(type: string, externalId: string): Promise<ReceivedRequest> {
  const isIt = ({ body }: ReceivedRequest) => body.includes(type) && body.includes(externalId);
  return waitFor(() => receiver.requests.find(isIt), { message: `no ${type} arrived` });
}

const FROM_REQUEST_TO_PLATFORM = [
  "edge POST /publisher.v1/transaction/ingest",
  "edge send INGEST",
  "ingest process INGEST",
  "ingest hash",
  "ingest commit",
  "ingest publish",
];
const FROM_OUTCOME_TO_WEBHOOK = [
  "platform send OUTCOMES",
  "rewards process OUTCOMES",
  "rewards transaction",
  "webhooks POST",
];

t.test("the trace of a transaction goes through every hop to the webhook with its cashback", async (t) => {
  const event = coffee();
  // The payment is there already, so the transaction decides.
  await loop.paid({ name: "coffee", event });
  const { traceId, spanId, traceparent } = caller();
  const answer = await loop.integrator.ingest([event], { traceparent });
  t.equal(answer.headers["x-trace-id"], traceId);
  const request = await told("cashback.created", event.external_id);
  const found = await hops(traceId, [
    ...FROM_REQUEST_TO_PLATFORM,
    "platform process PLATFORM_TX",
    ...FROM_OUTCOME_TO_WEBHOOK,
  ]);
  t.match(found.get("edge POST /publisher.v1/transaction/ingest"), {
    kind: 2,
    traceId,
    parentSpanId: spanId,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/publisher.v1/transaction/ingest",
      "http.response.status_code": 200,
    },
  });
  t.match(found.get("ingest process INGEST"), {
    kind: 5,
    attributes: { "messaging.system": "nats", "messaging.destination.name": "INGEST" },
  });
  t.match(found.get("ingest commit"), { kind: 3, attributes: { "db.system.name": "postgresql" } });
  const post = found.get("webhooks POST") as CollectedSpan;
  t.match(post, {
    kind: 3,
    attributes: { "server.address": "127.0.0.1", "http.response.status_code": 200 },
  });
  t.equal(request.headers.traceparent, `00-${post.traceId}-${post.spanId}-01`);
  t.equal(verifyWebhook(secret, request.headers, request.body).length, 1, "it is signed as ever");
});

t.test("if no other work comes between its hops they are one trace, each with its parent", async (t) => {
  const event = coffee();
  const { traceId, traceparent } = caller();
  await loop.settles();
  await loop.integrator.ingest([event], { traceparent });
  await hops(traceId, [...FROM_REQUEST_TO_PLATFORM, "platform process PLATFORM_TX"]);
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const ids = new Set(spans.map((span) => span.spanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  t.strictSame(roots.map(shortOf), ["edge POST /publisher.v1/transaction/ingest"]);
});

t.test("a payment that completes a purchase takes over, and a clearing reaches its webhook", async (t) => {
  const event = coffee();
  await loop.integrator.ingest([event]);
  await loop.settles();
  const before = receiver.requests.length;
  await loop.paid({ name: "coffee", event });
  const created = await told("cashback.created", event.external_id);
  t.ok(receiver.requests.indexOf(created) >= before);
  const [, paidIn = ""] = String(created.headers.traceparent).split("-");
  const paid = await waitFor(
    () =>
      collector.spans.find(
        (span) =>
          shortOf(span) === "platform POST /platform.v1/payment/ingest" &&
          following(span.traceId).some((one) => one.traceId === paidIn),
      ),
    { message: "the payment's request is not traced" },
  );
  await hops(paid.traceId, FROM_OUTCOME_TO_WEBHOOK);
  const { traceId, traceparent } = caller();
  await loop.integrator.ingest([{ ...event, cleared_at: "2030-01-01T00:00:00Z" }], { traceparent });
  const cleared = await told("cashback.cleared", event.external_id);
  const found = await hops(traceId, [
    ...FROM_REQUEST_TO_PLATFORM,
    "rewards process SETTLEMENT",
    "rewards transaction",
    "webhooks POST",
  ]);
  const post = found.get("webhooks POST") as CollectedSpan;
  t.equal(cleared.headers.traceparent, `00-${post.traceId}-${post.spanId}-01`);
});

t.test("requests that share a message are linked from its span", async (t) => {
  let linked: CollectedSpan[] = [];
  // On an idle machine each request may leave before the next comes.
  for (let round = 0; round < 20 && !linked.some((span) => shortOf(span) === "edge send INGEST"); round++) {
    const callers = Array.from({ length: 40 }, () => caller());
    await Promise.all(callers.map(({ traceparent }) => loop.integrator.ingest([coffee()], { traceparent })));
    for (const { traceId } of callers) {
      await hops(traceId, [...FROM_REQUEST_TO_PLATFORM, "platform process PLATFORM_TX"]);
    }
    linked = collector.spans.filter(({ links }) => links.length > 1);
  }
  t.ok(linked.some((span) => shortOf(span) === "edge send INGEST"));
  const known = new Set(collector.spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  for (const { links, parentSpanId } of linked) {
    t.equal(parentSpanId, "");
    for (const link of links) t.ok(known.has(`${link.traceId} ${link.spanId}`));
  }
});

t.test(
  "a program goes from its request to the publisher, and a test of a webhook to its target",
  async (t) => {
    const [upsert, test] = [caller(), caller()];
    const fields = { ...PROGRAM, name: "Traced", display_content: DISPLAY_CONTENT };
    t.equal((await loop.operator.post("loyalty-program/upsert", fields, headersOf(upsert))).status, 200);
    await hops(upsert.traceId, [
      "platform POST /platform.v1/loyalty-program/upsert",
      "platform send CONFIG",
      "rewards process CONFIG",
    ]);
    t.equal(
      (await loop.integrator.post("webhook/test", { id: webhook }, headersOf(test))).body.delivered,
      true,
    );
    const found = await hops(test.traceId, ["edge POST /publisher.v1/webhook/test", "webhooks POST"]);
    const post = found.get("webhooks POST") as CollectedSpan;
    t.equal(
      receiver.requests.find(({ body }) => body.includes("webhook.test"))?.headers.traceparent,
      `00-${post.traceId}-${post.spanId}-01`,
    );
  },
);

t.test("a request without a traceparent begins the trace that its answer names", async (t) => {
  const answer = await loop.integrator.post("loyalty-program/list", {});
  const traceId = String(answer.headers["x-trace-id"]);
  const span = await waitFor(() => collector.spans.find((one) => one.traceId === traceId), {
    message: "it is not traced",
  });
  t.match(span, { name: "POST /publisher.v1/loyalty-program/list", parentSpanId: "" });
});

t.test("a trace that the caller does not sample is recorded in no hop", async (t) => {
  const unsampled = caller("00");
  const event = coffee();
  await loop.paid({ name: "coffee", event });
  // The payment was sampled; the work that follows from the transaction is not.
  t.equal(
    (await loop.integrator.ingest([event], headersOf(unsampled))).headers["x-trace-id"],
    unsampled.traceId,
  );
  const request = await told("cashback.created", event.external_id);
  t.equal(request.headers.traceparent, undefined);
  const last = caller();
  await loop.integrator.ingest([coffee()], headersOf(last));
  await hops(last.traceId, FROM_REQUEST_TO_PLATFORM);
  t.strictSame(following(unsampled.traceId), []);
});

t.test(
  "refusals: a caller's fault is no error of the span, and an unknown path is not recorded",
  async (t) => {
    const [refused, lost] = [caller(), caller()];
    await loop.integrator.post("member/get", { id: "nonsense" }, headersOf(refused));
    await loop.integrator.post("not/a/PATH-SECRET", {}, headersOf(lost));
    const [refusal] = (await hops(refused.traceId, ["edge POST /publisher.v1/member/get"])).values();
    t.match(refusal, { status: 0, attributes: { "stampede.error.code": /./ } });
    const [unknown] = (await hops(lost.traceId, ["edge POST"])).values();
    t.match(unknown, { attributes: { "http.response.status_code": 404 } });
    t.notOk("http.route" in (unknown as CollectedSpan).attributes);
  },
);

t.test("the collected spans hold no card data and no secret; the log has the trace id", async (t) => {
  const text = collector.text();
  const { bin, auth_code, external_id } = coffee();
  const { token } = loop.pipeline.publisher;
  for (const canary of [token, secret, "PATH-SECRET", "QUERY-SECRET", bin, auth_code, external_id, SHOP]) {
    t.notOk(text.includes(canary), `there is ${canary}`);
  }
  const batches = loop.pipeline.ingest
    .output()
    .split("\n")
    .filter((line) => line.includes('"msg":"batch"'));
  t.ok(batches.some((line) => /"traceId":"[0-9a-f]{32}"/.test(line)));
});
