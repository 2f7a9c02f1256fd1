import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import t, { type Test } from "tap";
import { TcpProxy } from "./tcp-proxy.ts";
import { waitFor } from "./wait-for.ts";

/** A server that echoes, a proxy in front of it, and the bytes that both sides see. */
async function open(t: Test) {
  const taken: { socket: Socket; heard: string; closed: boolean }[] = [];
  const server = createServer((socket) => {
    const seen = { socket, heard: "", closed: false };
    taken.push(seen);
    socket.setEncoding("utf8").on("data", (text) => {
      seen.heard += text;
      socket.write(`${text}`.toUpperCase());
    });
    socket
      .on("error", () => {})
      .on("close", () => {
        seen.closed = true;
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await TcpProxy.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(async () => {
    await proxy.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const dial = async () => {
    const seen = { socket: connect(proxy.port, "127.0.0.1"), heard: "", closed: false };
    seen.socket.setEncoding("utf8").on("data", (text) => {
      seen.heard += text;
    });
    seen.socket
      .on("error", () => {})
      .on("close", () => {
        seen.closed = true;
      });
    t.teardown(() => seen.socket.destroy());
    // Or it is reset before it knows that it was connected.
    await new Promise<void>((resolve) => {
      seen.socket.once("connect", () => resolve()).once("close", () => resolve());
    });
    return seen;
  };
  const greet = async () => {
    const client = await dial();
    client.socket.write("hello ");
    await waitFor(() => client.heard === "HELLO ", { message: "no echo" });
    return client;
  };
  return { proxy, taken, dial, greet };
}

t.test("tcp proxy - client-reset: the server keeps a client that is gone", async (t) => {
  const { proxy, taken, greet } = await open(t);
  const client = await greet();
  const end = proxy.strike("client-reset", 0);
  await waitFor(() => client.closed, { message: "the client is not reset" });
  taken[0]?.socket.write("still there?");
  await greet();
  t.equal(taken[0]?.closed, false);
  end?.();
  await waitFor(() => taken[0]?.closed, { message: "the server never hears" });
});

t.test("tcp proxy - server-reset: the client keeps a server that is gone", async (t) => {
  const { proxy, taken, greet } = await open(t);
  const client = await greet();
  const end = proxy.strike("server-reset", 0);
  await waitFor(() => taken[0]?.closed, { message: "the server is not reset" });
  client.socket.write("still there?");
  await greet();
  t.equal(client.closed, false);
  end?.();
  await waitFor(() => client.closed, { message: "the client never hears" });
});

t.test(
  "tcp proxy - swallow: both sides stay, new connections too, and no byte comes through, now or later",
  async (t) => {
    const { proxy, taken, greet, dial } = await open(t);
    const client = await greet();
    const end = proxy.strike("swallow");
    client.socket.write("lost");
    const late = await dial();
    late.socket.write("lost as well");
    await waitFor(() => taken.length === 2, { message: "the second connection does not come" });
    t.strictSame([client.closed, late.closed, taken[0]?.closed], [false, false, false]);
    end?.();
    await waitFor(() => client.closed && late.closed, { message: "they are not reset" });
    t.strictSame(
      taken.map(({ heard }) => heard),
      ["hello ", ""],
    );
    await greet();
  },
);

t.test("tcp proxy - stall: all bytes arrive later", async (t) => {
  const { proxy, taken, greet } = await open(t);
  const client = await greet();
  const end = proxy.strike("stall", 0);
  client.socket.write("later");
  await greet();
  t.equal(taken[0]?.heard, "hello ");
  end?.();
  await waitFor(() => client.heard === "HELLO LATER", { message: "it does not arrive" });
});

t.test("tcp proxy - cut: cuts one of two, or all, and refuses new connections", async (t) => {
  const { proxy, greet, dial } = await open(t);
  const [first, second] = [await greet(), await greet()];
  proxy.strike("cut", 0)?.();
  await waitFor(() => first.closed, { message: "it is not cut" });
  t.equal(second.closed, false);
  const end = proxy.strike("cut");
  const third = await dial();
  await waitFor(() => second.closed && third.closed, { message: "not all are cut" });
  end?.();
  await greet();
});
