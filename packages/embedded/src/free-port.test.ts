import { once } from "node:events";
import { createServer } from "node:net";
import t from "tap";
import { freePort, isPortTaken } from "./free-port.ts";

t.test("free port - can be listened on, and is taken from then on", async (t) => {
  const port = await freePort();
  t.equal(await isPortTaken(port), false);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  t.equal(await isPortTaken(port), true);
});
