import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A TCP port on 127.0.0.1 that was free a moment ago. Somebody else may take it before the caller listens on it,
 * so whoever starts a server on it tries again with another one (`startPostgres` and `startNats` do).
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

/** Whether something else listens on this address. A port below 1024 without the right to it counts as not taken. */
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
