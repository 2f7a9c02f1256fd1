import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import t, { type Test } from "tap";
import { selfSignedCertificate, waitFor } from "#test-support";
import { requestTo, testSender } from "./test-sender.ts";

const certificate = selfSignedCertificate(["127.0.0.1"]);
/** Far more than one attempt reads including all buffers on the way, far less than arrives in its time. */
const LITTLE_BYTES = 48 * 1024 * 1024;

/** A target that answers each request with `head`, and then with `more` for as long as the caller reads. */
async function target(t: Test, isTls: boolean, { head = "", more = "" }) {
  const sockets: Socket[] = [];
  const answer = (socket: Socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.once("data", () => {
      socket.write(head);
      const block = more.repeat(Math.ceil(65_536 / Math.max(1, more.length)));
      const pour = () => {
        while (more !== "" && !socket.destroyed && socket.write(block));
      };
      socket.on("drain", pour);
      pour();
    });
  };
  const server: Server = isTls ? createTlsServer(certificate, answer) : createServer(answer);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const sender = testSender({ ca: certificate.cert });
  t.teardown(() => {
    sender.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = () => sender.send(requestTo(`http${isTls ? "s" : ""}://127.0.0.1:${port}/`));
  return { send, sockets };
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

for (const isTls of [false, true]) {
  for (const [name, status, flood] of [
    ["interim answers", null, { more: "HTTP/1.1 103 Early Hints\r\n\r\n" }],
    [
      "interim answers with fields",
      null,
      { more: `HTTP/1.1 102 Processing\r\nx: ${"x".repeat(8000)}\r\n\r\n` },
    ],
    ["one extension of a chunk", 200, { head: `${CHUNKED}1;`, more: "x" }],
    ["extensions of chunks", 200, { head: CHUNKED, more: `1;${"x".repeat(1000)}\r\nx\r\n` }],
    ["trailers", 200, { head: `${CHUNKED}0\r\n`, more: "x: y\r\n" }],
    ["a reason", null, { head: "HTTP/1.1 200 ", more: "x" }],
    ["empty lines", null, { more: "\r\n" }],
    ["fields", null, { head: "HTTP/1.1 200 OK\r\n", more: "x: y\r\n" }],
  ] as const) {
    t.test(
      `flood - ${name} without end${isTls ? ", over TLS" : ""}: the attempt ends by the bytes read`,
      async (t) => {
        const { send, sockets } = await target(t, isTls, flood);
        // The head of a 2xx is a success, and no reason to read on.
        t.match(await send(), { status, errorClass: status === null ? "response_too_large" : null });
        await waitFor(() => sockets.every(({ destroyed }) => destroyed), { message: "the connection stays" });
        t.equal(sockets.length, 1);
        t.ok((sockets[0]?.bytesWritten ?? Infinity) < LITTLE_BYTES, `${sockets[0]?.bytesWritten}`);
      },
    );
  }
}

for (const [name, most, flood] of [
  ["fields", 64, { head: "HTTP/1.1 200 OK\r\n", more: "x: y\r\n" }],
  ["trailers", 64, { head: `${CHUNKED}0\r\n`, more: "x: y\r\n" }],
  ["a body of small chunks", 320, { head: CHUNKED, more: "1\r\nx\r\n" }],
  ["a body", 320, { head: "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n", more: "x" }],
] as const) {
  t.test(`flood - ${name} without end: little of it is parsed, and never much at a time`, async (t) => {
    const pieces: number[] = [];
    const watch = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      const read = socket.read;
      socket.read = (size?: number) => {
        const piece = read.call(socket, size) as Buffer | null;
        if (piece !== null) pieces.push(piece.length);
        return piece;
      };
    };
    subscribe("undici:client:connected", watch);
    t.teardown(() => void unsubscribe("undici:client:connected", watch));
    const { send, sockets } = await target(t, false, flood);
    await send();
    await waitFor(() => sockets.every(({ destroyed }) => destroyed), { message: "the connection stays" });
    t.ok(pieces.length > 0);
    t.ok(Math.max(...pieces) <= 4096, `${Math.max(...pieces)} at a time`);
    const read = pieces.reduce((sum, piece) => sum + piece, 0);
    t.ok(read <= most * 1024, `${read} bytes`);
  });
}

t.test("flood - some interim answers are none", async (t) => {
  const head = "HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n".repeat(5);
  const { send } = await target(t, false, { head: `${head}HTTP/1.1 204 No Content\r\n\r\n` });
  t.match(await send(), { status: 204, errorClass: null });
});

t.test("flood - after a whole answer the connection is closed", async (t) => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=60\r\n\r\n";
  const { send, sockets } = await target(t, false, { head, more: "\r\n" });
  await send();
  await waitFor(() => sockets.every(({ destroyed }) => destroyed), { message: "the connection stays" });
});
