import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";

const PROGRAM = `
  import { once } from "node:events";
  import { connect, createServer } from "node:net";
  const { resetSocket } = await import(process.argv[1]);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}).on("end", () => socket.end()).resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect({ port: server.address().port, allowHalfOpen: true });
  await once(socket, "connect");
  socket.on("error", (error) => console.log(error.message)).resume().end();
  resetSocket(socket);
  server.close();`;

t.test("a process ends although it has reset a socket after `end`", async (t) => {
  const module = new URL("reset-socket.js", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, module], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  t.strictSame(await once(child, "exit"), [0, null]);
});
