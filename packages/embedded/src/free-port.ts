import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A TCP port on 127.0.0.1 that was free a moment ago. Another process may take it before the caller listens
 * on it; so a caller that starts a server on it tries again with another port (`startPostgres` and
 * `startNats` do).
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

/**
 * Whether something listens on this address already. A port below 1024 that this user may not use counts as
 * not taken.
 */
export async function isPortTaken(port: number, host = "127.0.0.1"): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
  } finally {
    server.close();
  }
}
