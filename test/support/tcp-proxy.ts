import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { resetSocket } from "./reset-socket.ts";

/** A TCP proxy on loopback through which a test disturbs connections. */
export interface TcpProxy {
  readonly port: number;
  /**
   * Half-open: the client's data does not reach the server, while the server's data still reaches the client.
   * `thaw` undoes it and delivers the data that was held back.
   */
  freezeClient(): void;
  thaw(): void;
  /** The other half: the server's data does not reach the client. */
  freezeServer(): void;
  /** Both halves, and those of new connections, as if a cable were pulled out. Undone by `thaw`. */
  freeze(): void;
  /** Resets every open connection, and new ones as soon as they come, until `thaw`. */
  refuse(): void;
  /** Resets every open connection; new ones are accepted as before. */
  cut(): void;
  /**
   * Half-open: resets the client's side of every open connection, and the server does not notice. The proxy
   * discards what the server still sends, until `close`. New connections are accepted as before.
   */
  cutClient(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>();
  const widowed = new Set<Socket>();
  let frozen: "none" | "client" | "server" | "both" = "none";
  let refusing = false;
  const isClientFrozen = () => frozen === "client" || frozen === "both";
  const isServerFrozen = () => frozen === "server" || frozen === "both";
  const listener = createServer((client) => {
    if (refusing) {
      resetSocket(client.on("error", () => {}));
      return;
    }
    const server = connect(target.port, target.host);
    const pair = { client, server };
    pairs.add(pair);
    const end = () => {
      if (!pairs.delete(pair)) return;
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on("error", end).on("close", end).setNoDelay(true);
    client.pipe(server);
    server.pipe(client);
    if (isClientFrozen()) hold(client, server);
    if (isServerFrozen()) hold(server, client);
  });
  const cut = () => {
    for (const { client, server } of pairs) {
      resetSocket(client);
      resetSocket(server);
    }
  };
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    freezeClient() {
      frozen = "client";
      for (const { client, server } of pairs) hold(client, server);
    },
    freezeServer() {
      frozen = "server";
      for (const { client, server } of pairs) hold(server, client);
    },
    freeze() {
      frozen = "both";
      for (const { client, server } of pairs) {
        hold(client, server);
        hold(server, client);
      }
    },
    refuse() {
      refusing = true;
      cut();
    },
    thaw() {
      for (const { client, server } of pairs) {
        if (isClientFrozen()) client.pipe(server);
        if (isServerFrozen()) server.pipe(client);
      }
      frozen = "none";
      refusing = false;
    },
    cut,
    cutClient() {
      for (const pair of [...pairs]) {
        pairs.delete(pair);
        widowed.add(pair.server);
        pair.server.unpipe(pair.client);
        pair.client.unpipe(pair.server);
        pair.server.on("close", () => widowed.delete(pair.server)).resume();
        resetSocket(pair.client);
      }
    },
    close() {
      for (const server of widowed) server.destroy();
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}

function hold(from: Socket, to: Socket): void {
  from.unpipe(to);
  from.pause();
}
