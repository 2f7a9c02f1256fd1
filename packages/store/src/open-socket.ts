import { connect, type Socket } from "node:net";
import { ConnectionError } from "./connection-error.ts";

/** Where postgres.js found the server to be, from the URL. */
export interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Unix socket, or false. */
  readonly path?: string | false | undefined;
}

/** Rejects with the error of the system, or with CONNECT_TIMEOUT. TLS comes later, on the same socket. */
export function openSocket(address: Address, timeoutMs: number): Promise<Socket> {
  const [host = "localhost"] = address.host;
  const [port = 5432] = address.port;
  const socket = address.path ? connect(address.path) : connect(port, host);
  // The input of a copy leaves in several writes. With Nagle's algorithm the last waits 40 ms for an acknowledgement.
  socket.setNoDelay(true);
  // Read by postgres.js, for the name in the server's certificate.
  Object.assign(socket, { host });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy(new ConnectionError("CONNECT_TIMEOUT", `no connection to ${host} in ${timeoutMs} ms`));
    }, timeoutMs);
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}
