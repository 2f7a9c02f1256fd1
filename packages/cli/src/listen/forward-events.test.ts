import { randomBytes } from "node:crypto";
import t from "tap";
import { verifyWebhook, type WebhookEvent } from "#client";
import { createWebhookSecret } from "#domain";
import { answer, inTurn, startWebhookReceiver } from "#test-support";
import { type Delivery, type ForwardTarget, forwardEvents } from "./forward-events.ts";

const SECRET = createWebhookSecret(randomBytes(32));
const event = (n: number) =>
  ({ event_id: `evt_${n}`, type: "webhook.test", timestamp: "2026-03-01T10:00:00.000Z" }) as WebhookEvent;

/** Forwards the events and keeps its reports. */
async function forward(url: string, events: readonly WebhookEvent[], more: Partial<ForwardTarget> = {}) {
  const told: [Delivery, string][] = [];
  await forwardEvents(events, {
    url,
    secret: SECRET,
    signal: new AbortController().signal,
    onDelivered: (delivery, { status }) => told.push([delivery, `${status}`]),
    onFailed: (delivery, { status, errorClass }, again) =>
      told.push([delivery, `${status ?? errorClass}${again === undefined ? ", passed over" : ""}`]),
    ...more,
  });
  return told;
}

t.test("forward - a failing receiver gets the same delivery again until it takes it", async (t) => {
  const slowDown = answer(503, { headers: { "retry-after": "0" } });
  const receiver = await startWebhookReceiver({ script: inTurn(answer(500), { kind: "reset" }, slowDown) });
  t.teardown(() => receiver.close());
  const told = await forward(`${receiver.url}/hooks?a=1`, [event(1), event(2)]);
  t.strictSame(
    told.map(([{ attempt }, what]) => [attempt, what]),
    [
      [1, "500"],
      [2, "connection_reset"],
      [3, "503"],
      [4, "200"],
    ],
  );
  const ids = new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]));
  t.equal(ids.size, 1);
  for (const { headers, body, path } of receiver.requests) {
    t.strictSame(verifyWebhook(SECRET, headers, body), [event(1), event(2)]);
    t.equal(path, "/hooks?a=1");
  }
});

t.test("forward - ten refusals split a delivery, and ten more skip one event", async (t) => {
  const waits: number[] = [];
  const pause = async (ms: number) => waits.push(ms);
  const receiver = await startWebhookReceiver({
    script: ({ body }) => (body.includes("evt_2") ? answer(422) : answer(204)),
  });
  t.teardown(() => receiver.close());
  const told = await forward(receiver.url, [event(1), event(2), event(3)], { pause });
  const delivered = told.filter(([, what]) => what === "204");
  t.strictSame(
    delivered.map(([{ events }]) => events.map(({ event_id }) => event_id)),
    [["evt_1"], ["evt_3"]],
  );
  t.equal(told.filter(([, what]) => what.startsWith("422")).length, 20);
  t.equal(waits.length, 18);
  t.ok(
    waits.every((ms) => ms >= 80 && ms <= 12_000),
    "seconds, as a person watches, and not hours",
  );
  t.match(told.at(-2), [{ events: [{ event_id: "evt_2" }] }, "422, passed over"]);
});

t.test("forward - 410 ends it, and so does a signal during a wait", async (t) => {
  const receiver = await startWebhookReceiver({ script: () => answer(410) });
  t.teardown(() => receiver.close());
  await t.rejects(forward(receiver.url, [event(1)]), { name: "CommandError", message: /answered 410/ });
  const controller = new AbortController();
  receiver.follow(() => {
    controller.abort();
    return answer(500);
  });
  await t.rejects(forward(receiver.url, [event(1)], { signal: controller.signal }), { name: "AbortError" });
  t.equal(receiver.requests.length, 2);
});
