import { connect } from "node:net";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import { NO_API, openConsole, type Visitor } from "./test-console.ts";

/** Sends the head of a request, and no byte of its body; resolves to the answer. */
function sendHead(
  t: Test,
  { url, cookie }: Pick<Visitor, "url" | "cookie">,
  route: string,
  ...more: string[]
) {
  const { host, hostname, port, origin, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  t.teardown(() => socket.destroy());
  const sent = { answer: "", write: (body: string) => socket.write(body) };
  socket.on("error", () => undefined);
  socket.setEncoding("utf8").on("data", (text) => {
    sent.answer += text;
  });
  const fields = [
    `host: ${host}`,
    `origin: ${origin}`,
    "stampede-console: 1",
    "content-type: application/json",
    "content-length: 2",
    ...(cookie === undefined ? [] : [`cookie: ${cookie}`]),
    ...more,
  ];
  socket.write(`POST ${pathname}api/${route} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`);
  const answered = (status: number) =>
    waitFor(() => sent.answer.includes(`HTTP/1.1 ${status} `), { message: `an answer ${status}` });
  return { answered, write: sent.write };
}

t.test(
  "a caller without a session or the right is refused by the head: the console does not wait for a body",
  async (t) => {
    const { url, visitor, publisher } = await openConsole(t, NO_API);
    await sendHead(t, { url, cookie: undefined }, "session").answered(401);
    const made = await visitor("support", publisher.organisationId);
    await sendHead(t, { url, cookie: `${made.cookie}x` }, "session").answered(401);
    await sendHead(t, made, "dead-letters/list").answered(403);
    const operator = await visitor("operator");
    await sendHead(t, operator, "sessions/end").answered(400);
    await sendHead(t, operator, "dead-letters/list", "expect: 100-continue").answered(100);
  },
);

t.test("a change is not made if its session ends before its body comes", async (t) => {
  const { visitor } = await openConsole(t, NO_API);
  const [ada, slow] = [await visitor("administrator"), await visitor("operator")];
  const reason = "stampede-console-reason: for a test";
  const waiting = sendHead(t, slow, "sessions/end", reason, "expect: 100-continue");
  await waiting.answered(100);
  const { entrances } = (await ada.post("sessions/list")).body;
  for (const { id, user } of entrances) {
    if (user === "test operator") await ada.post("sessions/end", { id }, { reason: "for a test" });
  }
  t.equal((await slow.post("session")).status, 401, "it is ended");
  waiting.write("{}");
  await waiting.answered(401);
});
