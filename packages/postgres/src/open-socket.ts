import { readFileSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { explainTlsFault } from "#runtime";
import type { DatabaseTls } from "./database-address.ts";
import { ConnectionError } from "./database-errors.ts";

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

/** PostgreSQL's SSLRequest: its length, and 1234 5679 as two int16. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = "S".charCodeAt(0);

/**
 * Begins TLS on a connection to PostgreSQL, before anything else is sent on it. Done here and not by
 * postgres.js 3.4.9, which continues the handshake after the server has refused TLS, and demands a
 * certificate of "localhost" if the URL has an address.
 * @throws ConnectionError if the server has no TLS, or cannot be trusted
 */
async function secureSocket(socket: Socket, host: string, tls: DatabaseTls): Promise<TLSSocket> {
  const answer = await ask(socket);
  if (answer[0] !== YES) {
    socket.destroy();
    const why = `PostgreSQL at ${host} offers no TLS, which is demanded (sslmode=${tls.mode})`;
    throw new ConnectionError("TLS_REFUSED", `${why}: set ssl = on there; nothing was sent in plain text`);
  }
  // More than that byte comes from an attacker, to be read as if encrypted (CVE-2021-23222).
  if (answer.length > 1) {
    socket.destroy();
    throw new ConnectionError(
      "TLS_UNTRUSTED",
      `PostgreSQL at ${host} cannot be trusted: it spoke before TLS began`,
    );
  }
  return handshake(socket, host, tls);
}

function ask(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const hungUp = () =>
      reject(new ConnectionError("CONNECTION_CLOSED", "the server hung up when asked for TLS"));
    socket.once("error", reject).once("close", hungUp);
    socket.once("data", (answer: Buffer) => {
      socket.pause();
      socket.removeListener("error", reject).removeListener("close", hungUp);
      resolve(answer);
    });
    socket.write(SSL_REQUEST);
  });
}

function handshake(socket: Socket, host: string, { mode, caFile }: DatabaseTls): Promise<TLSSocket> {
  const options: ConnectionOptions = {
    socket,
    // Node compares the certificate with `host`; the server name in the handshake cannot be an address.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    ...(mode === "verify-ca" && { checkServerIdentity: () => undefined }),
    rejectUnauthorized: mode !== "require",
  };
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      const why = explainTlsFault(error, "STAMPEDE_DATABASE_CA_FILE");
      const about = `PostgreSQL at ${host} cannot be trusted: ${why}`;
      reject(why === undefined ? error : new ConnectionError("TLS_UNTRUSTED", about, { cause: error }));
    };
    const secured = connectTls(options, () => {
      secured.removeListener("error", refuse);
      resolve(secured);
    });
    secured.once("error", refuse);
  });
}
