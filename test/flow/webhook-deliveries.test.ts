import t from "tap";
import { uuidv7 } from "uuidv7";
import { verifyWebhook } from "#client";
import { EVENT_TYPES } from "#contract";
import { decodeId, encodeId } from "#domain";
import {
  answer,
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  startWebhookReceiver,
  type WebhookReceiver,
  waitFor,
} from "#test-support";

/** Integrators' view of deliveries, and their ways to send again (contract, sections 5 and 10). */

const NOT_FOUND = { status: 404, body: { error: { code: "not_found", data: { resource: "webhook" } } } };
const UNKNOWN = "whk_01h455vb4pex5vsknk084sn02q";

let pipeline: Pipeline;
let client: PublisherClient;
let receiver: WebhookReceiver;
let webhooks: ServiceProcess;

t.before(async () => {
  pipeline = await startPipeline({
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  receiver = await startWebhookReceiver();
});
t.teardown(() => Promise.all([pipeline.stop(), receiver.close()]));

/** A webhook with its own path at the receiver. */
async function newWebhook(path: string, fields: object = {}): Promise<{ id: string; secret: string }> {
  const webhook = { url: receiver.url + path, events: EVENT_TYPES, ...fields };
  const { status, body } = await client.post("webhook/create", webhook);
  t.equal(status, 200);
  return body;
}

/** Writes events of the organisation, in this order, a minute apart from `from` on. @returns their ids */
async function happen(count: number, from = "2026-03-01T10:00:00Z"): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = uuidv7();
    const timestamp = new Date(Date.parse(from) + i * 60_000).toISOString();
    const event = {
      event_id: encodeId("evt", id),
      type: "transaction.rejected",
      timestamp,
      transaction_ref: `ref ${i}`,
      code: "not_found",
      reason: "not_found",
      batch_id: encodeId("batch", id),
    };
    await pipeline.store`
      insert into events (at, id, organisation_id, type, body)
      values (${timestamp}::text::timestamptz, ${id}, ${pipeline.publisher.organisationId}, ${event.type},
              ${JSON.stringify(event)})`;
    ids.push(event.event_id);
  }
  return ids;
}

const list = async (webhookId: string, more: object = {}) =>
  (await client.post("webhook.delivery/list", { webhook_id: webhookId, ...more })).body;
const replay = async (webhookId: string, chosen: object) =>
  (await client.post("webhook.delivery/replay", { webhook_id: webhookId, ...chosen })).body;

const sentTo = (path: string) => receiver.requests.filter((request) => request.path === path);
/** Ids of the events in the order of arrival, repetitions included. */
const eventsAt = (path: string): string[] =>
  sentTo(path).flatMap(({ body }) =>
    JSON.parse(body).events.map(({ event_id }: { event_id: string }) => event_id),
  );

async function untilCame(path: string, count: number): Promise<string[]> {
  await waitFor(() => eventsAt(path).length >= count, { message: `${count} events at ${path}` });
  return eventsAt(path);
}

/** Waits until its deliveries are done: the answers are recorded a moment after they came. */
async function untilSettled(webhookId: string): Promise<void> {
  const settled = async () => {
    const left = await pipeline.store`
      select from webhook_queues where webhook_id = ${decodeId("whk", webhookId) as string} and due_at is not null`;
    return left.length === 0;
  };
  await waitFor(settled, { message: "something is left to do" });
  t.strictSame((await list(webhookId, { state: "pending" })).data, []);
}

t.test("test - if no process sends webhooks, it is refused at once, and can be tried again", async (t) => {
  const { id } = await newWebhook("/nobody");
  const refused = await client.post("webhook/test", { id });
  t.match(refused, {
    status: 503,
    headers: { "retry-after": /^\d+$/ },
    body: { error: { code: "unavailable", data: { reason: "no_dispatcher" } } },
  });
  t.match(await client.post("webhook/test", { id: UNKNOWN }), NOT_FOUND);
  await client.post("webhook/delete", { id });
  webhooks = await pipeline.start("webhooks");
});

t.test(
  "test - the event arrives signed, in every state of the webhook and with any subscription",
  async (t) => {
    const { id, secret } = await newWebhook("/tested", { events: ["cashback.cleared"] });
    for (const state of ["enabled", "paused", "disabled"]) {
      await pipeline.store`update webhooks set state = ${state} where id = ${decodeId("whk", id) as string}`;
      const { status, body } = await client.post("webhook/test", { id });
      t.equal(status, 200, state);
      t.match(body, { delivery_id: /^dlv_/, delivered: true, status: 200 });
      t.ok(Number.isInteger(body.duration_ms) && body.duration_ms >= 0);
      t.notOk("error_class" in body);
      const request = sentTo("/tested").at(-1);
      if (request === undefined) throw new Error("nothing came");
      t.equal(request.headers["webhook-id"], body.delivery_id);
      const events = verifyWebhook(secret, request.headers, request.body);
      t.match(events, [{ type: "webhook.test", event_id: /^evt_/ }]);
      const fields = ["event_id", "member_id", "member_ref", "timestamp", "type"];
      t.strictSame(
        events.map((event) => Object.keys(event).sort()),
        [fields],
      );
      const shown = (await list(id)).data.at(-1);
      t.match(shown, { id: body.delivery_id, webhook_id: id, state: "delivered", attempts: 1, status: 200 });
      t.notOk("next_attempt_at" in shown);
      t.equal(shown.delivered_at, shown.last_attempt_at);
    }
  },
);

t.test("test - a failure is a result: its class, its status and the answer", async (t) => {
  const { id } = await newWebhook("/failing");
  receiver.follow(() => answer(500, { body: "no disk\u0000 left" }));
  const failed = await client.post("webhook/test", { id });
  receiver.follow(() => answer(200));
  t.match(failed, { status: 200, body: { delivered: false, status: 500, error_class: "http_5xx" } });
  t.match(failed.body.answer, /^no disk.* left$/);
  t.equal(sentTo("/failing").length, 1, "it is not tried again");
  const { data } = await list(id, { state: "failed" });
  t.match(data, [{ id: failed.body.delivery_id, state: "failed", attempts: 1, error_class: "http_5xx" }]);
  t.strictSame(await replay(id, { failed: true }), { queued: 0 }, "a test is not replayed");

  const gone = await startWebhookReceiver();
  await gone.close();
  t.equal((await client.post("webhook/update", { id, url: gone.url })).status, 200);
  const refused = (await client.post("webhook/test", { id })).body;
  t.match(refused, { delivered: false, error_class: "connection_refused" });
  t.notOk("status" in refused || "answer" in refused);
  const webhook = (await client.post("webhook/get", { id })).body;
  t.notOk("failing_since" in webhook, "a test does not change the state of deliveries");
});

t.test("list - the deliveries, with their events in order, page by page", async (t) => {
  const { id } = await newWebhook("/listed");
  const ids = await happen(3);
  t.strictSame(await untilCame("/listed", 3), ids);
  const more = await happen(2);
  await untilCame("/listed", 5);
  await untilSettled(id);
  const { data, page } = await list(id);
  t.strictSame(
    data.flatMap(({ event_ids }: { event_ids: string[] }) => event_ids),
    [...ids, ...more],
  );
  t.strictSame(
    data.map((delivery: { id: string }) => delivery.id),
    sentTo("/listed").map(({ headers }) => headers["webhook-id"]),
  );
  for (const delivery of data) {
    t.match(delivery, { id: /^dlv_/, webhook_id: id, state: "delivered", attempts: 1, status: 200 });
    t.equal(delivery.delivered_at, delivery.last_attempt_at);
  }
  t.match(page, { page_size: data.length, cursor: null, more: false });
  const walked: string[] = [];
  let cursor: string | null = null;
  do {
    const part = await list(id, { pagination: { limit: 1, cursor } });
    walked.push(...part.data.map((delivery: { id: string }) => delivery.id));
    cursor = part.page.cursor;
  } while (cursor !== null);
  t.strictSame(
    walked,
    data.map((delivery: { id: string }) => delivery.id),
  );
});

t.test("list - a waiting delivery says why and for how long, and only its state finds it", async (t) => {
  const { id } = await newWebhook("/waiting");
  receiver.follow(({ path }) =>
    path === "/waiting" ? answer(503, { body: "later", headers: { "retry-after": "3000" } }) : answer(200),
  );
  const ids = await happen(2);
  const [waiting] = await waitFor(
    async () => {
      const { data } = await list(id, { state: "pending" });
      return data[0]?.attempts > 0 && data;
    },
    { message: "an attempt has failed" },
  );
  t.match(waiting, { state: "pending", attempts: 1, status: 503, error_class: "http_5xx", answer: "later" });
  t.ok(ids.includes(waiting.event_ids[0]));
  const waits = Date.parse(waiting.next_attempt_at) - Date.parse(waiting.last_attempt_at);
  t.ok(Math.abs(waits - 3_000_000) < 60_000, `retry-after is obeyed: ${waits} ms`);
  t.notOk("delivered_at" in waiting);
  t.strictSame((await list(id, { state: "delivered" })).data, []);
  t.strictSame((await list(id, { state: "failed" })).data, []);
  receiver.follow(() => answer(200));
  await client.post("webhook/delete", { id });
});

t.test("list - a cursor is good for its webhook and its state only", async (t) => {
  const { id } = await newWebhook("/cursor");
  for (let i = 0; i < 2; i++) await client.post("webhook/test", { id });
  const { cursor } = (await list(id, { pagination: { limit: 1 } })).page;
  const other = await newWebhook("/cursor-of-another");
  for (const wrong of [
    { webhook_id: other.id, pagination: { cursor } },
    { webhook_id: id, state: "delivered", pagination: { cursor } },
  ]) {
    const refused = await client.post("webhook.delivery/list", wrong);
    t.match(refused, {
      status: 400,
      body: { error: { data: { issues: [{ path: "/pagination/cursor" }] } } },
    });
  }
});

const NO_DELIVERY = {
  status: 404,
  body: { error: { code: "not_found", data: { resource: "webhook_delivery" } } },
};

t.test("get - one delivery with every attempt: its time, duration and answer", async (t) => {
  const { id } = await newWebhook("/attempts");
  let left = 1;
  receiver.follow(({ path }) =>
    path === "/attempts" && left-- > 0
      ? answer(503, { body: "x".repeat(5000), headers: { "retry-after": "1" } })
      : answer(200, { body: "thanks" }),
  );
  const ids = await happen(1);
  await untilCame("/attempts", 2);
  await untilSettled(id);
  receiver.follow(() => answer(200));
  const { data } = await list(id, { event_id: ids[0] });
  t.match(data, [{ event_ids: ids, state: "delivered", attempts: 2, duration_ms: Number }]);
  const { status, body } = await client.post("webhook.delivery/get", { id: data[0].id });
  t.equal(status, 200);
  const { attempt_log: attempts, ...delivery } = body;
  t.strictSame(delivery, data[0], "the same as in the list");
  t.match(attempts, [
    { number: 1, status: 503, error_class: "http_5xx", answer: "x".repeat(1024) },
    { number: 2, status: 200, answer: "thanks", attempted_at: delivery.last_attempt_at },
  ]);
  t.notOk("error_class" in attempts[1]);
  for (const attempt of attempts) t.ok(Number.isInteger(attempt.duration_ms));
  t.ok(Date.parse(attempts[1].attempted_at) > Date.parse(attempts[0].attempted_at));
  const stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  t.match(await stranger.post("webhook.delivery/get", { id: delivery.id }), NO_DELIVERY);
  for (const wrong of ["", "\u0000", UNKNOWN, id, delivery.id.toUpperCase()]) {
    t.match(await client.post("webhook.delivery/get", { id: wrong }), NO_DELIVERY, wrong);
  }
});

t.test("list - newest first, those of a time, and those with an event", async (t) => {
  const { id } = await newWebhook("/filtered");
  const made: string[] = [];
  for (let n = 1; n <= 3; n++) {
    made.push((await client.post("webhook/test", { id })).body.delivery_id);
  }
  const ofAll = (await list(id)).data;
  const idsOf = async (filters: object) =>
    (await list(id, filters)).data.map((delivery: { id: string }) => delivery.id);
  t.strictSame(await idsOf({ order: "newest" }), made.toReversed());
  const since = ofAll[1].created_at;
  t.strictSame(await idsOf({ since }), made.slice(1));
  t.strictSame(await idsOf({ until: since, order: "newest" }), made.slice(0, 1));
  t.strictSame(await idsOf({ event_id: ofAll[1].event_ids[0] }), made.slice(1, 2));
  for (const nobodys of ["", "evt_01h455vb4pex5vsknk084sn02q", id]) {
    t.strictSame(await idsOf({ event_id: nobodys }), []);
  }
  const { cursor } = (await list(id, { order: "newest", pagination: { limit: 1 } })).page;
  t.strictSame(await idsOf({ order: "newest", pagination: { cursor } }), made.slice(0, 2).toReversed());
  const cursors = { webhook_id: id, pagination: { cursor } };
  t.equal((await client.post("webhook.delivery/list", cursors)).status, 400, "a cursor of the other order");
  t.match(await client.post("webhook.delivery/list", { webhook_id: id, since, until: since }), {
    status: 400,
    body: { error: { data: { issues: [{ path: "/until", message: "must be after since" }] } } },
  });
});

t.test("webhook/get - says how many events wait, and since when", async (t) => {
  const { id } = await newWebhook("/behind");
  const about = async () => (await client.post("webhook/get", { id })).body;
  const idle = await about();
  t.equal(idle.pending_events, 0);
  t.notOk("oldest_pending_at" in idle);
  await client.post("webhook/update", { id, state: "paused" });
  await happen(3, "2025-01-01T00:00:00Z");
  await waitFor(async () => (await about()).pending_events === 3, { message: "the events are announced" });
  t.equal((await about()).oldest_pending_at, "2025-01-01T00:00:00.000Z");
  t.notOk("pending_events" in (await client.post("webhook/list", {})).body.data[0], "only there");
  await client.post("webhook/update", { id, state: "enabled" });
  await untilCame("/behind", 3);
  await waitFor(async () => (await about()).pending_events === 0, { message: "nothing waits any more" });
});

t.test(
  "replay - by ids: those events, once each, in their order; ids of other organisations are ignored",
  async (t) => {
    const { id } = await newWebhook("/by-id");
    const ids = await happen(4);
    await untilCame("/by-id", 4);
    await untilSettled(id);
    const stranger = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
    const theirs = await stranger.post("webhook/create", {
      url: `${receiver.url}/theirs`,
      events: EVENT_TYPES,
    });
    t.match(
      await stranger.post("webhook.delivery/replay", { webhook_id: theirs.body.id, event_ids: ids }),
      { status: 200, body: { queued: 0 } },
      "another organisation does not get them",
    );
    const chosen = [ids[3], ids[1], ids[3], "evt_01h455vb4pex5vsknk084sn02q", "nonsense", "\u0000"];
    t.strictSame(await replay(id, { event_ids: chosen }), { queued: 2 });
    t.strictSame((await untilCame("/by-id", 6)).slice(4), [ids[1], ids[3]]);
    t.strictSame(sentTo("/theirs"), []);
  },
);

t.test("replay - by time: from `since` on, and before `until`", async (t) => {
  const { id } = await newWebhook("/by-time");
  const ids = await happen(5, "2027-05-01T00:00:00Z");
  await untilCame("/by-time", 5);
  await untilSettled(id);
  const range = { since: "2027-05-01T01:01:00+01:00", until: "2027-05-01T00:03:00Z" };
  t.strictSame(await replay(id, range), { queued: 2 });
  t.strictSame((await untilCame("/by-time", 7)).slice(5), ids.slice(1, 3));
  t.strictSame(await replay(id, { since: "2027-05-01T00:03:00Z" }), { queued: 2 });
  t.strictSame((await untilCame("/by-time", 9)).slice(7), ids.slice(3));
  t.strictSame(await replay(id, { since: "2099-12-31T23:59:60Z" }), { queued: 0 });
  for (const until of [range.since, "2026-01-01T00:00:00Z"]) {
    t.match(
      await client.post("webhook.delivery/replay", { webhook_id: id, since: range.since, until }),
      {
        status: 400,
        body: { error: { data: { issues: [{ path: "/until", message: "must be after since" }] } } },
      },
      until,
    );
  }
});

t.test(
  "replay - of more than one step: it outlives the process that makes it, in order and complete",
  async (t) => {
    const many = 3_500;
    const { id } = await newWebhook("/many", { events: ["cashback.reverted"] });
    const { id: otherId } = await newWebhook("/beside", { events: ["cashback.reverted"] });
    const tell = (first: number, last: number, from: string) => pipeline.store`
    insert into events (at, id, organisation_id, type, body)
    select ${from}::text::timestamptz + n * interval '1 second', gen_random_uuid(),
           ${pipeline.publisher.organisationId}, 'cashback.reverted', json_build_object('event_id', n::text)
    from generate_series(${first}::int, ${last}::int) as n
    order by n`;
    await tell(1, many, "2029-05-01T00:00:00Z");
    await untilCame("/many", many);
    await untilSettled(id);
    await untilCame("/beside", many);
    await untilSettled(otherId);
    const span = { since: "2029-05-01T00:00:00Z", until: "2029-06-01T00:00:00Z" };
    t.strictSame(await replay(id, span), { queued: many });
    await untilCame("/many", many + 500);
    await webhooks.kill();
    webhooks = await pipeline.start("webhooks");
    await tell(many + 1, many + 1, "2030-05-01T00:00:00Z");
    t.strictSame(
      (await untilCame("/beside", many + 1)).slice(many),
      [`${many + 1}`],
      "a neighbour gets its event",
    );
    const again = () => new Set(eventsAt("/many").slice(many));
    await waitFor(() => again().size === many + 1, { message: "it is not whole" });
    const replayed = [...again()].map(Number).filter((n) => n <= many);
    t.strictSame(
      replayed,
      Array.from({ length: many }, (_, n) => n + 1),
    );
    await untilSettled(id);
    t.strictSame(await pipeline.store`select from webhook_replays`, []);
  },
);

t.test("replay - all failed events, once", async (t) => {
  const { id } = await newWebhook("/parked");
  const [first, second] = await happen(2, "2028-01-01T00:00:00Z");
  await untilCame("/parked", 2);
  await untilSettled(id);
  // As if it had been refused ten times, which would take hours.
  const [{ event_ids }] = (await list(id)).data;
  await pipeline.store`
    update webhook_deliveries set state = 'failed', failed_at = now()
    where id = (
      select id from webhook_deliveries where webhook_id = ${decodeId("whk", id) as string} order by id limit 1)`;
  t.match((await list(id, { state: "failed" })).data, [{ event_ids, state: "failed" }]);
  t.strictSame(await replay(id, { failed: true }), { queued: event_ids.length });
  const came = await untilCame("/parked", 2 + event_ids.length);
  t.strictSame(came.slice(2), event_ids);
  t.strictSame(came.slice(0, 2), [first, second]);
  t.strictSame(await replay(id, { failed: true }), { queued: 0 });
});

t.test(
  "retry - a delivery that waits for its next attempt is sent now, and those behind it follow",
  async (t) => {
    const { id } = await newWebhook("/retried");
    receiver.follow(({ path }) =>
      answer(path === "/retried" ? 503 : 200, { headers: { "retry-after": "3600" } }),
    );
    const ids = await happen(1, "2030-01-01T00:00:00Z");
    const waiting = async () => (await list(id, { state: "pending" })).data[0]?.next_attempt_at;
    await waitFor(async () => (await waiting()) !== undefined, { message: "the attempt failed" });
    t.ok(Date.parse(await waiting()) > Date.now() + 1_800_000, "the next attempt is an hour away");
    ids.push(...(await happen(1, "2030-01-01T01:00:00Z")));
    receiver.follow(() => answer(200));
    t.match(await client.post("webhook/retry", { id }), { status: 200, body: { due: 1 } });
    const came = await untilCame("/retried", 3);
    t.strictSame(came, [ids[0], ...ids]);
    await untilSettled(id);
    t.match(await client.post("webhook/retry", { id }), { status: 200, body: { due: 0 } }, "nothing waits");
  },
);

t.test("retry - a webhook that is not enabled is not called, and says how to go on", async (t) => {
  const { id } = await newWebhook("/not-enabled");
  await client.post("webhook/update", { id, state: "paused" });
  t.match(await client.post("webhook/retry", { id }), {
    status: 409,
    body: { error: { code: "conflict", data: { reason: "not_enabled", state: "paused" } } },
  });
});

t.test("an id that no webhook has, or of another kind, is unknown everywhere", async (t) => {
  const { id } = await newWebhook("/known");
  for (const wrong of ["", "\u0000", UNKNOWN, id.toUpperCase(), id.replace("whk", "dlv")]) {
    t.match(await client.post("webhook/test", { id: wrong }), NOT_FOUND, wrong);
    t.match(await client.post("webhook.delivery/list", { webhook_id: wrong }), NOT_FOUND, wrong);
    t.match(
      await client.post("webhook.delivery/replay", { webhook_id: wrong, failed: true }),
      NOT_FOUND,
      wrong,
    );
  }
});
