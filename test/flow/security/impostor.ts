import { createServer, type Server, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Certificate } from "#test-support";

/** Poses as a server, and keeps the plain text that clients send. */
export interface Impostor {
  readonly port: number;
  /** The bytes that came before TLS, or without it. */
  heard(): string;
  close(): Promise<void>;
}

/** A server with the greeting of NATS: it offers TLS with this certificate, or offers none. */
export function natsImpostor(certificate?: Certificate): Promise<Impostor> {
  const info = { server_id: "X", version: "2.14.0", proto: 1, max_payload: 1048576, headers: true };
  return impostor(certificate, (socket) => {
    socket.write(`INFO ${JSON.stringify({ ...info, ...(certificate && { tls_required: true }) })}\r\n`);
    return Promise.resolve();
  });
}

/** The same for PostgreSQL's question about TLS; it may also send more than the answer. */
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
    // Decrypted: a client that gets here has trusted this server.
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
