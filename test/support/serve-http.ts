import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** An HTTP server on loopback that ends with the test, and its connections with it. */
export async function serveHttp(
  t: Pick<Test, "teardown">,
  handle: RequestListener,
): Promise<{ readonly server: Server; readonly port: number; readonly url: string }> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}` };
}
