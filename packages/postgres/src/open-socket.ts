import { connect, type Socket } from "node:net";
import { ConnectionError } from "./connection-error.ts";
import type { DatabaseTls } from "./database-address.ts";
import { secureSocket } from "./secure-socket.ts";

/** The server's address as postgres.js reads it from the URL. */
export interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Path of a Unix socket, or false. */
  readonly path?: string | false | undefined;
}

/**
 * Opens a connection. Rejects with the system's error, with CONNECT_TIMEOUT, or with the error of
 * `secureSocket`. As with libpq, a Unix socket needs no TLS.
 */
export async function openSocket(
  address: Address,
  tls: DatabaseTls | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const [host = "localhost"] = address.host;
  const [port = 5432] = address.port;
  const socket = address.path ? connect(address.path) : connect(port, host);
  // The input of a copy leaves in several writes. With Nagle's algorithm the last one would wait 40 ms for a
  // TCP acknowledgement.
  socket.setNoDelay(true);
  const timer = setTimeout(() => {
    socket.destroy(new ConnectionError("CONNECT_TIMEOUT", `no connection to ${host} in ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    await connected(socket);
    return tls === undefined || address.path ? socket : await secureSocket(socket, host, tls);
  } finally {
    clearTimeout(timer);
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.removeListener("error", reject);
      resolve();
    });
  });
}
