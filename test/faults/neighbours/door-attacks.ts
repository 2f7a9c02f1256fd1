import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { decodeId } from "#domain";
import { type Attack, type Hostile, sized } from "./attack.ts";
import {
  ask,
  forever,
  type HeadOptions,
  headText,
  holding,
  madeUpToken,
  openSocket,
  untilClosed,
  write,
} from "./hostile-requests.ts";

const BODY_BYTES = 8 * 1024 * 1024;
const BLOCK = Buffer.alloc(64 * 1024, " ");
const PAYMENTS = "/platform.v1/payment/ingest";

/** A body of 8 MiB less one byte, and then nothing. */
function neverEnding(
  url: (hostile: Hostile) => string,
  connections: number,
  head: (hostile: Hostile) => HeadOptions,
): Attack["start"] {
  return (hostile) =>
    holding(url(hostile), connections, async (socket) => {
      const fields = [`content-length: ${BODY_BYTES}`];
      await write(socket, headText(hostile, { ...head(hostile), fields }));
      for (let left = BODY_BYTES - 1; left > 0 && !socket.destroyed; left -= BLOCK.length) {
        await write(socket, BLOCK.subarray(0, Math.min(left, BLOCK.length)));
      }
    });
}

const toEdge = ({ edge }: Hostile) => edge;
const toPlatform = ({ platform }: Hostile) => platform;
const madeUp = () => ({ token: madeUpToken() });
const madeUpAtPlatform = () => ({ token: madeUpToken(), path: PAYMENTS });

const BODIES: readonly Attack[] = [
  { name: "4 endless bodies, made-up tokens", start: neverEnding(toEdge, 4, madeUp) },
  { name: "40 endless bodies, made-up tokens", start: neverEnding(toEdge, 40, madeUp) },
  {
    name: "4 endless bodies, made-up tokens, platform",
    start: neverEnding(toPlatform, 4, madeUpAtPlatform),
  },
  {
    name: "40 endless bodies, made-up tokens, platform",
    start: neverEnding(toPlatform, 40, madeUpAtPlatform),
  },
  { name: "4 endless bodies, valid token", start: neverEnding(toEdge, 4, () => ({})) },
  { name: "40 endless bodies, valid token", start: neverEnding(toEdge, 40, () => ({})) },
  {
    name: "40 endless bodies in chunks, valid token",
    start: (hostile) =>
      holding(hostile.edge, 40, async (socket) => {
        await write(socket, headText(hostile, { fields: ["transfer-encoding: chunked"] }));
        const size = `${BLOCK.length.toString(16)}\r\n`;
        for (let left = BODY_BYTES - BLOCK.length; left > 0 && !socket.destroyed; left -= BLOCK.length) {
          await write(socket, `${size}${BLOCK.toString("latin1")}\r\n`);
        }
      }),
  },
  {
    name: "200 requests that wait for 100-continue, valid token",
    start: (hostile) =>
      holding(hostile.edge, 200, (socket) =>
        write(socket, headText(hostile, { fields: ["expect: 100-continue", "content-length: 8000000"] })),
      ),
  },
];

const list = "member-base/list";

const TOKENS: readonly Attack[] = [
  {
    name: "flood of made-up tokens",
    start: (hostile) => forever(40, () => ask(hostile, list, {}, { token: madeUpToken() })),
  },
  {
    name: "flood of made-up tokens, each from another address",
    start: (hostile) =>
      forever(40, () =>
        ask(hostile, list, {}, { token: madeUpToken(), headers: { "x-forwarded-for": randomAddress() } }),
      ),
  },
  {
    name: "flood of made-up tokens from the quiet one's address",
    sharesAddress: true,
    start: async (hostile) => {
      for (let n = 0; n < 100; n++) await ask(hostile, list, {}, { token: madeUpToken() });
      await forever(8, () => ask(hostile, list, {}, { token: madeUpToken() }));
    },
  },
  {
    name: "flood of tokens with a wrong checksum",
    start: (hostile) =>
      forever(40, () => ask(hostile, list, {}, { token: `${madeUpToken().slice(0, -1)}!` })),
  },
  {
    name: "flood of made-up tokens, platform",
    start: (hostile) =>
      forever(40, () => ask(hostile, "retailer/list", {}, { token: madeUpToken(), api: "platform" })),
  },
];

function randomAddress(): string {
  const [a = 0, b = 0, c = 0] = randomBytes(3);
  return `100.${a}.${b}.${c}`;
}

const PIPELINED = 200;
/** In the parts of a head that a caller can make up. */
export const CALLERS_MARK = "neighbour-mark";

const CONNECTIONS: readonly Attack[] = [
  {
    name: "idle connections",
    start: (hostile) => holding(hostile.edge, sized(hostile, 300, 4000), async () => {}),
  },
  {
    name: "heads that come byte by byte",
    start: (hostile) =>
      holding(hostile.edge, sized(hostile, 200, 2000), async (socket) => {
        const text = headText(hostile);
        await write(socket, text.slice(0, 20));
        void (async () => {
          for (let at = 20; at < text.length && !socket.destroyed; at++) {
            await write(socket, text.slice(at, at + 1));
            await delay(500);
          }
        })();
      }),
  },
  {
    name: "connections opened and reset in turn",
    start: (hostile) =>
      forever(20, async () => {
        const socket = await openSocket(hostile.edge);
        socket.resetAndDestroy();
        await untilClosed(socket);
      }),
  },
  {
    name: "pages asked for in a pipeline and never read",
    start: (hostile) =>
      holding(hostile.edge, sized(hostile, 40, 200), async (socket) => {
        socket.pause();
        const page = headText(hostile, { method: "GET", path: "/openapi.json" });
        await write(socket, page.repeat(PIPELINED));
      }),
  },
  {
    name: "answers of 4 MiB that are never read",
    prepare: async (store, { organisationId, memberbase }) => {
      await store`
        insert into members (id, organisation_id, memberbase_id, ref, attributes)
        select gen_random_uuid(), ${organisationId}, ${decodeId("mb", memberbase) as string}, 'large-' || n,
               jsonb_build_object('a', repeat('x', 15000))
        from generate_series(1, 300) as n`;
      return [];
    },
    start: (hostile) => {
      const body = JSON.stringify({ member_base_id: hostile.memberbase, pagination: { limit: 300 } });
      const fields = [`content-length: ${body.length}`];
      const text = headText(hostile, { path: "/publisher.v1/member/list", fields }) + body;
      return holding(hostile.edge, sized(hostile, 40, 400), async (socket) => {
        socket.pause();
        await write(socket, text);
      });
    },
  },
  {
    name: "paths, methods and agents that are all different",
    start: (hostile) =>
      holding(hostile.edge, 20, async (socket) => {
        const more = async () => {
          for (let n = 0; !socket.destroyed; n++) {
            const mark = randomBytes(8).toString("hex");
            const method = n % 3 === 0 ? "PUT" : "POST";
            const fields = [`user-agent: ${CALLERS_MARK}-${mark}`, "content-length: 2"];
            const path = `/publisher.v1/${CALLERS_MARK}-${mark}/list`;
            await write(socket, `${headText(hostile, { path, method, fields })}{}`);
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        void more();
      }),
  },
];

/** Requests without a token, or whose token does not count yet. */
export const DOOR_ATTACKS: readonly Attack[] = [...BODIES, ...TOKENS, ...CONNECTIONS];
