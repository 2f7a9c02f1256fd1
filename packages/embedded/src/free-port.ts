import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to clients by default (from 32768 on Linux, 49152 elsewhere): a server that is away for a while would find
 * one of those taken by a client's connection.
 */
const PORTS = { first: 20_000, last: 32_000 };
/** A process gives each port once: a caller that draws several starts its servers later. */
const given = new Set<number>();

/**
 * A TCP port on 127.0.0.1 that was free a moment ago. Another process may take it before the caller listens on it, so a caller that
 * starts a server on it tries again with another port (`startPostgres` and `startNats` do).
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    if (given.has(port) || (await isPortTaken(port))) continue;
    given.add(port);
    return port;
  }
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
