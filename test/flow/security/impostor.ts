import { createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Certificate } from "#test-support";

/** What a client connects to in the place of a server, and what it sent there in plain text. */
export interface Impostor {
  readonly port: number;
  /** Bytes that came before TLS, or without it. */
  heard(): string;
  close(): Promise<void>;
}

/** A server with the greeting of NATS: it claims to have TLS, with this certificate, or to have none. */
export function natsImpostor(certificate?: Certificate): Promise<Impostor> {
  const info = { server_id: "X", version: "2.14.0", proto: 1, max_payload: 1048576, headers: true };
  return impostor(certificate, (socket) => {
    socket.write(`INFO ${JSON.stringify({ ...info, ...(certificate && { tls_required: true }) })}\r\n`);
    return Promise.resolve();
  });
}

/** One that answers PostgreSQL's question for TLS likewise, or says more than that. */
export function postgresImpostor(certificate?: Certificate, more = ""): Promise<Impostor> {
  return impostor(certificate, async (socket) => {
    await new Promise((resolve) => socket.once("data", resolve));
    socket.write(certificate === undefined ? "N" : `S${more}`);
  });
}

async function impostor(
  certificate: Certificate | undefined,
  greet: (socket: Socket) => Promise<void>,
): Promise<Impostor> {
  const sockets = new Set<Socket>();
  let heard = "";
  const server: Server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    await greet(socket);
    if (certificate === undefined) {
      socket.on("data", (bytes) => {
        heard += bytes.toString("latin1");
      });
      return;
    }
    const secured = new TLSSocket(socket, { isServer: true, ...certificate });
    secured.on("error", () => {});
    // Decrypted: a client that gets here has trusted us.
    secured.on("data", (bytes: Buffer) => {
      heard += bytes.toString("latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    heard: () => heard,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
