import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import type { WebhookEvent } from "./generated/publisher-api.ts";
import { createWebhookSecret, signDelivery, webhookEvent } from "./testing/index.ts";
import { WebhookVerificationError } from "./verify-webhook.ts";
import { type WebhookHandlerOptions, webhookHandler } from "./webhook-handler.ts";

const SECRET = createWebhookSecret();
const EVENTS = [
  webhookEvent("cashback.created"),
  webhookEvent("cashback.cleared"),
  webhookEvent("webhook.test"),
];
const DELIVERY = signDelivery({ secret: SECRET, events: EVENTS });
const URL_ = "http://shop.example/webhooks";

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same options behind each kind of server: what answers there to a delivery. */
const SERVERS = {
  node: async (t: Test, options: WebhookHandlerOptions) => {
    const url = await serve(t, webhookHandler(options));
    return async (delivery: RequestInit, method = "POST"): Promise<Answered> => {
      const response = await fetch(url, { method, ...delivery });
      return { status: response.status, text: await response.text() };
    };
  },
  fetch: async (_: Test, options: WebhookHandlerOptions) => {
    const handle = webhookHandler(options);
    return async (delivery: RequestInit, method = "POST"): Promise<Answered> => {
      const response = await handle(new Request(URL_, { method, ...delivery }));
      return { status: response.status, text: await response.text() };
    };
  },
};

for (const [kind, start] of Object.entries(SERVERS)) {
  t.test(
    `webhook handler, ${kind} - takes the events of a delivery one after the other, in order`,
    async (t) => {
      const steps: string[] = [];
      const send = await start(t, {
        secret: SECRET,
        onEvent: async ({ event_id }, delivery) => {
          t.equal(delivery.id, DELIVERY.headers["webhook-id"]);
          t.equal(delivery.attemptedAt.getTime() / 1000, Number(DELIVERY.headers["webhook-timestamp"]));
          steps.push(`begin ${event_id}`);
          await new Promise(setImmediate);
          steps.push(`end ${event_id}`);
        },
      });
      t.strictSame(await send(DELIVERY), { status: 204, text: "" });
      t.strictSame(
        steps,
        EVENTS.flatMap(({ event_id }) => [`begin ${event_id}`, `end ${event_id}`]),
      );
    },
  );

  t.test(
    `webhook handler, ${kind} - a delivery without a valid signature is answered 400, and none of it is taken`,
    async (t) => {
      const errors: unknown[] = [];
      const options = {
        secret: SECRET,
        onEvent: () => t.fail("it is not to be trusted"),
        onError: (error: unknown) => errors.push(error),
      };
      const send = await start(t, options);
      const other = signDelivery({ secret: createWebhookSecret(), events: EVENTS });
      t.match(await send(other), { status: 400, text: /^signature_mismatch: / });
      t.match(await send({ ...DELIVERY, body: `${DELIVERY.body} ` }), { status: 400 });
      t.match(await send({ body: DELIVERY.body }), { status: 400, text: /^missing_header: / });
      const old = signDelivery({ secret: SECRET, events: EVENTS, at: new Date(Date.now() - 3600_000) });
      t.match(await send(old), { status: 400, text: /^timestamp_out_of_range: / });
      t.equal(errors.length, 4);
      t.ok(errors.every((error) => error instanceof WebhookVerificationError));
    },
  );

  t.test(
    `webhook handler, ${kind} - onError gets what onEvent throws, and the answer does not show it`,
    async (t) => {
      const taken: WebhookEvent[] = [];
      const told: unknown[] = [];
      const fault = new Error("database is away, password hunter2");
      const send = await start(t, {
        secret: SECRET,
        onEvent: (event) => {
          taken.push(event);
          if (taken.length === 2) throw fault;
        },
        onError: (error, delivery) => told.push(error, delivery?.id),
      });
      t.strictSame(await send(DELIVERY), { status: 500, text: "an event could not be taken" });
      t.equal(taken.length, 2, "the third would have been out of order");
      t.strictSame(told, [fault, DELIVERY.headers["webhook-id"]]);
      t.match(await send(DELIVERY), { status: 204 });
      t.strictSame(taken.slice(2), EVENTS, "the repeated delivery has all events again");
    },
  );

  t.test(`webhook handler, ${kind} - a larger body is answered 413, announced or not`, async (t) => {
    const send = await start(t, { secret: SECRET, onEvent: () => t.fail(), maxBodyBytes: 100 });
    t.match(await send(DELIVERY), { status: 413, text: /100 bytes/ });
    const unannounced = { ...DELIVERY, body: new Blob([DELIVERY.body]).stream(), duplex: "half" as const };
    t.match(await send(unannounced), { status: 413, text: /100 bytes/ });
  });

  t.test(`webhook handler, ${kind} - only a POST is a delivery`, async (t) => {
    const send = await start(t, { secret: SECRET, onEvent: () => t.fail() });
    t.match(await send({}, "GET"), { status: 405 });
  });

  t.test(
    `webhook handler, ${kind} - any of several secrets will do, also if a function gives them`,
    async (t) => {
      const next = createWebhookSecret();
      let secrets = [SECRET];
      let count = 0;
      const onEvent = () => count++;
      const send = await start(t, { secret: async () => secrets, onEvent });
      const signedByNext = signDelivery({ secret: next, events: EVENTS });
      t.match(await send(signedByNext), { status: 400 });
      secrets = [SECRET, next];
      t.match(await send(signedByNext), { status: 204 });
      t.match(await send(DELIVERY), { status: 204 });
      t.equal(count, 2 * EVENTS.length);
      secrets = ["hunter2"];
      const [warning] = await Promise.all([once(process, "warning"), send(DELIVERY)]);
      t.match(warning, [{ name: "StampedeWarning", message: /the secret is not whsec_/ }]);
      t.match(await send(DELIVERY), { status: 500 }, "the fault is not the delivery's");
    },
  );

  t.test(`webhook handler, ${kind} - an attempt joins the one before it that is still at work`, async (t) => {
    let asked = 0;
    let taken = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const send = await start(t, {
      secret: () => {
        asked++;
        return SECRET;
      },
      onEvent: async () => {
        taken++;
        await released;
      },
    });
    const first = send(DELIVERY);
    await waitFor(() => taken === 1, { message: "the first attempt is at work" });
    const second = send(DELIVERY);
    await waitFor(() => asked === 2, { message: "the second attempt has arrived" });
    t.match(
      await send(signDelivery({ secret: SECRET, events: [] })),
      { status: 204 },
      "others are not held up",
    );
    release();
    t.match(await Promise.all([first, second]), [{ status: 204 }, { status: 204 }]);
    t.equal(taken, EVENTS.length);
    t.match(await send(DELIVERY), { status: 204 });
    t.equal(taken, 2 * EVENTS.length, "one that comes later has the events again");
  });
}

t.test("webhook handler - a secret that cannot be one throws when the program starts", async (t) => {
  t.throws(() => webhookHandler({ secret: "hunter2", onEvent: () => {} }), { code: "invalid_secret" });
  t.throws(() => webhookHandler({ secret: [], onEvent: () => {} }), { code: "invalid_secret" });
});

t.test("webhook handler - without onError what onEvent throws is a warning of the process", async (t) => {
  const send = await SERVERS.fetch(t, {
    secret: SECRET,
    onEvent: () => {
      throw new Error("no disk left");
    },
  });
  const [[warning], answer] = await Promise.all([once(process, "warning"), send(DELIVERY)]);
  t.match(warning, { name: "StampedeWarning", message: /will come again.*no disk left/ });
  t.equal(answer.status, 500);
});

t.test("webhook handler - an onError that throws leaves no request without an answer", async (t) => {
  const options = {
    secret: SECRET,
    onEvent: () => {
      throw new Error("first");
    },
    onError: () => {
      throw new Error("second");
    },
  };
  const send = await SERVERS.node(t, options);
  const [[warning], answer] = await Promise.all([once(process, "warning"), send(DELIVERY)]);
  t.match(warning, { message: /second/ });
  t.equal(answer.status, 500);
});

t.test(
  "webhook handler - a body that a framework has read is taken as bytes, and refused as an object",
  async (t) => {
    let count = 0;
    const handle = webhookHandler({ secret: SECRET, onEvent: () => count++ });
    const parsers: Readonly<Record<string, (bytes: Buffer) => object>> = {
      raw: (bytes) => ({ body: bytes }),
      text: (bytes) => ({ body: bytes.toString() }),
      kept: (bytes) => ({ body: JSON.parse(bytes.toString()), rawBody: bytes }),
      json: (bytes) => ({ body: JSON.parse(bytes.toString()) }),
    };
    const url = await serve(t, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const parse = parsers[(request.url ?? "").slice(1)] ?? t.fail;
      await handle(Object.assign(request, parse(Buffer.concat(chunks))), response);
    });
    const post = async (parser: string) => fetch(`${url}/${parser}`, { method: "POST", ...DELIVERY });
    for (const parser of ["raw", "text", "kept"]) t.equal((await post(parser)).status, 204, parser);
    t.equal(count, 3 * EVENTS.length);
    const refused = await post("json");
    t.equal(refused.status, 500);
    t.match(await refused.text(), /put webhookHandler before the parser/);
  },
);

t.test("webhook handler - a request that ends in the middle of its body takes nothing", async (t) => {
  const handle = webhookHandler({ secret: SECRET, onEvent: () => t.fail() });
  const handled = new Promise<void>((resolve) => {
    void serve(t, (request, response) => {
      void handle(request, response).then(resolve);
    }).then((url) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
        const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${DELIVERY.body.length}\r\n\r\n`;
        socket.write(head + DELIVERY.body.slice(0, 20), () => socket.destroy());
      });
    });
  });
  await handled;
});
