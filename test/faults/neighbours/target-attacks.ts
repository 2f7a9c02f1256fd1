import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Store } from "#postgres";
import { type Attack, type Hostile, sized } from "./attack.ts";
import { ask, EVERY_TYPE, forever, mustAsk } from "./hostile-requests.ts";

/** A little less than the time of an attempt. */
const SLOW_MS = 9_000;
const TYPE = "qualifying_purchase.created";

/** How a target handles a connection; it has not read the request. */
type Target = (socket: Socket) => void;

/**
 * Registers this many webhooks with targets of the attacker, or as many as the service accepts. Resolves to
 * their ids.
 */
async function registered(hostile: Hostile, webhooks: number, url: string): Promise<string[]> {
  const { id: first } = await mustAsk(hostile, "webhook/create", { url: `${url}/0`, events: EVERY_TYPE });
  const ids = [first];
  while (ids.length < webhooks) {
    const target = { url: `${url}/${ids.length}`, events: EVERY_TYPE };
    const made = await mustAsk(hostile, "webhook/create", target).catch(() => undefined);
    if (made === undefined) break;
    ids.push(made.id);
  }
  return ids;
}

/** Rejected events: each makes an event for every webhook of the organisation. */
function makeEvents(hostile: Hostile, loops = 2): Promise<void> {
  let last = 0;
  const make = () => ({
    member_id: "m_unknown",
    external_id: `told-${process.pid}-${last++}`,
    auth_code: "A",
    network: "visa",
    bin: "411111",
    merchant_id: "M",
    authed_at: "2026-03-01T10:00:00Z",
  });
  const body = () => ({ events: Array.from({ length: 20 }, make) });
  return forever(loops, () =>
    ask(hostile, "transaction/ingest", body(), { headers: { prefer: "respond-async" } }),
  );
}

async function listening(target: Target): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy()).resume();
    target(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes `text` without end, at the speed of the reader. */
function endless(first: string, text: string): Target {
  const block = text.repeat(Math.ceil((64 * 1024) / text.length));
  return (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(block)) {}
    };
    socket.once("data", () => {
      socket.write(first);
      socket.on("drain", more);
      more();
    });
  };
}

function manyTargets(webhooks: number, target: Target): Attack["start"] {
  return async (hostile) => {
    await registered(hostile, webhooks, await listening(target));
    await makeEvents(hostile);
  };
}

const OK = "HTTP/1.1 200 OK\r\n";
const TARGETS: readonly Attack[] = [
  {
    name: "20 webhooks that answer after 9 s, on 20 slots",
    start: async (hostile) => {
      const slow = await answering((response) => void setTimeout(() => response.end(), SLOW_MS));
      await registered(hostile, 20, slow);
      await makeEvents(hostile);
    },
  },
  {
    name: "40 webhooks that never answer, on 20 slots",
    start: manyTargets(40, () => {}),
  },
  {
    name: "10 targets that send 103 for ever",
    start: manyTargets(10, endless("", "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n")),
  },
  {
    name: "10 targets that send chunk extensions for ever",
    start: manyTargets(
      10,
      endless(`${OK}transfer-encoding: chunked\r\n\r\n`, `1;${"x".repeat(4000)}\r\na\r\n`),
    ),
  },
  {
    name: "10 targets that send one chunk extension for ever",
    start: manyTargets(10, endless(`${OK}transfer-encoding: chunked\r\n\r\n1;`, "x")),
  },
  { name: "10 targets that send a head for ever", start: manyTargets(10, endless(OK, "x-a: b\r\n")) },
  {
    name: "10 targets that send trailers for ever",
    start: manyTargets(10, endless(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, "x-a: b\r\n")),
  },
  {
    name: "10 targets that send a body for ever",
    start: manyTargets(10, endless(`${OK}transfer-encoding: chunked\r\n\r\n`, `1\r\na\r\n`)),
  },
  {
    name: "300 webhooks for every event",
    start: async (hostile) => {
      const url = await answering((response) => response.end());
      await registered(hostile, sized(hostile, 50, 300), url);
      await makeEvents(hostile, 4);
    },
  },
];

const CALLS: readonly Attack[] = [
  {
    name: "webhook/test without end, of a slow target",
    start: async (hostile) => {
      const slow = await answering((response) => void setTimeout(() => response.end(), SLOW_MS));
      const ids = await registered(hostile, 4, slow);
      await forever(20, (loop) => ask(hostile, "webhook/test", { id: ids[loop % ids.length] }));
    },
  },
  {
    name: "webhook/update, retry and new secrets without end",
    start: async (hostile) => {
      const url = await answering((response) => response.writeHead(503).end());
      const ids = await registered(hostile, 5, url);
      await makeEvents(hostile);
      await forever(20, (loop) => {
        const id = ids[loop % ids.length];
        if (loop % 3 === 0) return ask(hostile, "webhook/update", { id, description: `${loop}` });
        if (loop % 3 === 1) return ask(hostile, "webhook/retry", { id });
        return ask(hostile, "webhook/rotate-secret", { id, overlap_seconds: 0 });
      });
    },
  },
  {
    name: "replay of many events, four callers",
    prepare: (store, hostile) => fillEvents(store, hostile, sized(hostile, 50_000, 400_000)),
    start: async (hostile) => {
      const url = await answering((response) => response.end());
      const [id] = await registered(hostile, 1, url);
      await forever(4, () =>
        ask(hostile, "webhook.delivery/replay", { webhook_id: id, since: "2026-01-01T00:00:00Z" }),
      );
    },
  },
  {
    name: "replay of what a rare type has among many events",
    prepare: (store, hostile) => fillEvents(store, hostile, sized(hostile, 50_000, 400_000)),
    start: async (hostile) => {
      const url = await answering((response) => response.end());
      const { id } = await mustAsk(hostile, "webhook/create", { url, events: ["cashback.reverted"] });
      await forever(8, () =>
        ask(hostile, "webhook.delivery/replay", { webhook_id: id, since: "2026-01-01T00:00:00Z" }),
      );
    },
  },
  {
    name: "event/list of a rare reference among many events",
    prepare: (store, hostile) => fillEvents(store, hostile, sized(hostile, 50_000, 400_000)),
    start: (hostile) =>
      forever(20, () => ask(hostile, "event/list", { transaction_ref: "none", limit: 1000 })),
  },
  {
    name: "event/list of full pages, 20 callers",
    prepare: (store, hostile) => fillEvents(store, hostile, 5_000),
    start: (hostile) => forever(20, () => ask(hostile, "event/list", { limit: 1000 })),
  },
];

/** Events that are announced already: the horizon moves over them before the attack begins. */
async function fillEvents(store: Store, hostile: Hostile, events: number): Promise<readonly string[]> {
  await store`
    insert into events (at, id, organisation_id, type, body)
    select now(), gen_random_uuid(), ${hostile.organisationId}, ${TYPE},
           '{"event_id":"evt_' || n || '","type":"' || ${TYPE}::text || '","timestamp":"2026-03-01T10:00:00.000Z"}'
    from generate_series(1, ${events}::int) as n`;
  return [];
}

/** With the webhooks, their targets and their deliveries. */
export const TARGET_ATTACKS: readonly Attack[] = [...TARGETS, ...CALLS];
