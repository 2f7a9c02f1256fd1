import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import t, { type Test } from "tap";
import { LIMITS } from "#contract";
import { createTokenSecret } from "#domain";
import { hasUws } from "#http";
import { PublisherClient, readMetric, type ServiceProcess, startPipeline, waitFor } from "#test-support";

const ADAPTERS = hasUws() ? ["uws", "node"] : ["node"];
/** As many bodies as fill the memory for arriving bodies. */
const BODIES = LIMITS.bufferedBodyBytes / LIMITS.bodyBytes;
/** A body of the largest size, without its last byte. */
const UNFINISHED = Buffer.alloc(LIMITS.bodyBytes - 1, " ");

interface Hostile {
  readonly socket: Socket;
  /** The bytes of the answer so far. */
  answer: string;
  /** Whether all its bytes have left. */
  sent: boolean;
}

/** Sends a request whose body never ends. */
function sendUnfinished(t: Test, url: string, token: string): Hostile {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const hostile: Hostile = { socket, answer: "", sent: false };
  t.teardown(() => socket.destroy());
  socket.on("error", () => undefined); // it may be cut off
  socket.on("data", (bytes) => {
    hostile.answer += bytes;
  });
  socket.write(
    `POST /publisher.v1/transaction/ingest HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${LIMITS.bodyBytes}\r\n\r\n`,
  );
  socket.write(UNFINISHED, () => {
    hostile.sent = true;
  });
  return hostile;
}

/** Waits until each request is answered, or has all its bytes in the process's memory. */
async function settled(edge: ServiceProcess, hostiles: readonly Hostile[]): Promise<void> {
  await waitFor(
    async () => {
      const buffered = await readMetric(edge, "stampede_http_buffered_bytes");
      const open = hostiles.filter(({ answer }) => answer === "");
      return open.every(({ sent }) => sent) && buffered >= open.length * UNFINISHED.length;
    },
    { message: "each hostile request is answered, or all of its body has arrived" },
  );
}

t.test("a body that never ends delays no other request", async (t) => {
  const pipeline = await startPipeline({ begin: [] });
  t.teardown(() => pipeline.stop());
  for (const adapter of ADAPTERS) {
    await t.test(adapter, async (t) => {
      const edge = await pipeline.start("edge", { STAMPEDE_HTTP_ADAPTER: adapter });
      const client = new PublisherClient(edge.url, pipeline.publisher.token);
      const list = () => client.post("member-base/list", { pagination: { limit: 1 } });
      t.equal((await list()).status, 200);

      await t.test("the body of a made-up token is not kept", async (t) => {
        const made = Array.from({ length: BODIES }, () =>
          sendUnfinished(t, edge.url as string, createTokenSecret(randomBytes(32))),
        );
        await settled(edge, made);
        t.equal((await list()).status, 200);
        for (const { answer } of made) t.match(answer, /^HTTP\/1\.1 401 /);
      });

      await t.test("an organisation that sends many leaves room for the others", async (t) => {
        const neighbour = await pipeline.newPublisher();
        const hostile = Array.from({ length: BODIES }, () =>
          sendUnfinished(t, edge.url as string, neighbour.token),
        );
        await settled(edge, hostile);
        t.equal((await list()).status, 200);
        const refused = hostile.filter(({ answer }) => answer.startsWith("HTTP/1.1 503 "));
        t.ok(refused.length >= 2 && refused.length < BODIES, `${refused.length} are refused`);
      });
    });
  }
});
