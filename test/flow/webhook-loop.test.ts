import { deepEqual } from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import t from "tap";
import { verifyWebhook } from "#client";
import { EVENT_TYPES, type EventDelivery, type WebhookEvent } from "#contract";
import {
  CLEARED_AT,
  makeEvent,
  REVERTED_AT,
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReceiver,
  waitFor,
} from "#test-support";
import { LoyaltyLoop } from "./loyalty-loop.ts";

/**
 * The integrators' view, from the till to their server, with nothing but HTTP on both sides. The project's
 * client verifies every request, and so does another implementation.
 */
t.setTimeout(400_000);

const LOOPBACK = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
};
const CLEARED = { cleared_at: CLEARED_AT };
const REVERTED = { reverted_at: REVERTED_AT };

/** Every second coffee gives three euros. */
const PROGRAM = {
  name: "Every second coffee",
  qualifying_threshold: 2,
  reward_config: { type: "fixed-reward", amount: 300 },
  rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
};

interface MadeWebhook {
  readonly secret: string;
  readonly path: string;
}

let loop: LoyaltyLoop;
let receiver: WebhookReceiver;
let ada: string;
let card: string;
let everything: MadeWebhook;
let cashbacks: MadeWebhook;

t.before(async () => {
  receiver = await startWebhookReceiver();
  loop = await LoyaltyLoop.open(t, { env: LOOPBACK });
  await loop.pipeline.start("webhooks");
  await loop.opensShop("Roastery", "ROASTERY-1");
  const program = await loop.offers("loyalty-program", PROGRAM);
  ada = await loop.joins("ada");
  card = await loop.enrols(ada, program);
  everything = await makeWebhook("/everything", EVENT_TYPES);
  cashbacks = await makeWebhook("/cashbacks", ["cashback.created", "cashback.cleared"]);
});
t.teardown(() => receiver.close());

async function makeWebhook(path: string, events: readonly string[]) {
  const { secret } = await loop.publisher("webhook/create", { url: receiver.url + path, events });
  return { secret, path } as MadeWebhook;
}

const requestsTo = ({ path }: MadeWebhook) => receiver.requests.filter((request) => request.path === path);

/** The events of a request. @throws Error unless both verifiers accept it, and read the same events */
function bothVerify({ headers, body }: ReceivedRequest, secret: string): WebhookEvent[] {
  const delivery = new Webhook(secret).verify(body, headers as Record<string, string>) as EventDelivery;
  deepEqual(verifyWebhook(secret, headers, body), delivery.events);
  return delivery.events;
}

/**
 * The events that a webhook has received so far, from verified requests. Deliveries come at least once:
 * repetitions are dropped, as integrators do.
 */
function toldTo(webhook: MadeWebhook): WebhookEvent[] {
  const events = requestsTo(webhook).flatMap((request) => bothVerify(request, webhook.secret));
  return [...new Map(events.map((event) => [event.event_id, event])).values()];
}

/** Waits until a webhook has received as many events as there are of these types. */
async function whenTold(
  webhook: MadeWebhook,
  types: readonly string[] = EVENT_TYPES,
): Promise<WebhookEvent[]> {
  const expected = (await loop.events()).filter(({ type }) => types.includes(type));
  const ids = () => new Set(requestsTo(webhook).flatMap(({ body }) => idsIn(body)));
  await waitFor(() => ids().size >= expected.length, { message: `${webhook.path} was not told of all` });
  return expected;
}

const idsIn = (body: string) => (JSON.parse(body) as EventDelivery).events.map((event) => event.event_id);

const coffee = (name: string) =>
  loop.buys(ada, name, { merchant_id: "ROASTERY-1", external_id: `${name} "é"` });

t.test("a payment at a till arrives, signed, at the integrator's server", async (t) => {
  const first = await coffee("first");
  await loop.paid(first);
  await waitFor(() => requestsTo(everything).length > 0, { message: "nothing arrived" });
  const [request] = requestsTo(everything) as [ReceivedRequest];
  t.match(request, {
    method: "POST",
    headers: {
      "content-type": /^application\/json/,
      "webhook-id": /^dlv_[0-9a-z]{26}$/,
      "webhook-timestamp": /^\d{10}$/,
      "webhook-signature": /^v1,[A-Za-z0-9+/]{43}=$/,
    },
  });
  t.match(bothVerify(request, everything.secret), [
    {
      event_id: /^evt_[0-9a-z]{26}$/,
      type: "qualifying_purchase.created",
      transaction_id: (await loop.transaction(first)).id,
      transaction_ref: first.event.external_id,
      stamp_collection_id: card,
      unredeemed_purchases: 1,
    },
  ]);
  t.throws(() => bothVerify(request, cashbacks.secret), "no other webhook's secret signed it");
  t.throws(
    () => bothVerify({ ...request, body: `${request.body} ` }, everything.secret),
    "not a byte differs",
  );
});

t.test(
  "every type of event arrives once, in order; a webhook gets the types that it subscribed to",
  async (t) => {
    const second = await coffee("second");
    await loop.paid(second);
    await loop.settles();
    await loop.changes(second, CLEARED);
    await loop.settles();
    const third = await coffee("third");
    await loop.paid(third);
    await loop.settles();
    const fourth = await coffee("fourth");
    await loop.paid(fourth);
    await loop.settles();
    await loop.changes(third, REVERTED);
    await loop.settles();
    const late = { ...third.event, ...CLEARED };
    const answer = await loop.integrator.ingest([late], { prefer: "respond-async" });
    t.equal(answer.status, 202);
    const rejected = async () => (await loop.events()).some(({ type }) => type === "transaction.rejected");
    await waitFor(rejected, { message: "the rejection became no event" });

    t.strictSame(await whenTold(everything), toldTo(everything));
    t.strictSame(
      toldTo(everything).map(({ type }) => type),
      [
        "qualifying_purchase.created",
        "qualifying_purchase.created",
        "cashback.created",
        "cashback.cleared",
        "qualifying_purchase.created",
        "qualifying_purchase.created",
        "cashback.created",
        "qualifying_purchase.voided",
        "cashback.reverted",
        "qualifying_purchase.unredeemed",
        "transaction.rejected",
      ],
    );
    t.match(toldTo(everything).at(-1), {
      code: "conflict",
      reason: "invalid_transition",
      batch_id: answer.body.batch_id.split(".")[0],
      transaction_ref: third.event.external_id,
      transaction_id: (await loop.transaction(third)).id,
    });
    const wanted = ["cashback.created", "cashback.cleared"];
    t.strictSame(await whenTold(cashbacks, wanted), toldTo(cashbacks));
  },
);

t.test("a rejection that the answer reported makes no event", async (t) => {
  const before = (await loop.events()).length;
  const stranger = makeEvent("m_01h455vb4pex5vsknk084sn02q");
  t.equal((await loop.integrator.ingest([stranger])).status, 404);
  await loop.settles();
  t.equal((await loop.events()).length, before);
});

t.test(
  "event/list returns the webhook's events, to the byte; by transaction, the events of one",
  async (t) => {
    const told = await whenTold(everything);
    /** The texts of consecutive events. */
    const split = (events: string) => events.split(/(?<=\}),(?=\{"event_id":)/);
    const { text } = await loop.integrator.postForText("event/list", { types: EVENT_TYPES });
    const asked = split(text.slice('{"data":['.length, text.indexOf('],"page":')));
    const carried = requestsTo(everything).flatMap(({ body }) => split(body.slice('{"events":['.length, -2)));
    // A repeated event is the same to the byte.
    const types: readonly string[] = EVENT_TYPES;
    const once = [...new Set(carried)].filter((event) => types.includes(JSON.parse(event).type));
    t.strictSame(asked, once);
    t.equal(new Set(told.map(({ type }) => type)).size, EVENT_TYPES.length, "every type is among them");
    for (const { event_id, ...event } of told) {
      if (!("transaction_ref" in event)) continue;
      const { data } = await loop.publisher("event/list", { transaction_ref: event.transaction_ref });
      t.strictSame(
        data.map((found: WebhookEvent) => found.event_id),
        told
          .filter((one) => "transaction_ref" in one && one.transaction_ref === event.transaction_ref)
          .map((one) => one.event_id),
      );
      t.ok(data.some((found: WebhookEvent) => found.event_id === event_id));
    }
  },
);
