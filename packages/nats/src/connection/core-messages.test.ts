import t, { type Test } from "tap";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "./connect.ts";
import { answerRequests, askOne, kick, onKick } from "./core-messages.ts";

const log = createLog({ service: "test", level: "silent" });

async function connectTwo(t: Test): Promise<[Stream, Stream]> {
  const { natsUrl: url } = await testServers();
  const prefix = isolation();
  const [one, other] = await Promise.all(
    ["one", "other"].map((name) => connectStream({ url, name, prefix, log })),
  );
  t.teardown(() => Promise.all([one?.close(), other?.close()]));
  return [one as Stream, other as Stream];
}

t.test("requests - one of the processes that answer gets each; with none there is no answer", async (t) => {
  const [one, other] = await connectTwo(t);
  t.equal(await askOne(one, "test.ask", "x", 1000), undefined, "no process listens");
  let answers = 0;
  const end = [one, other].map((stream) =>
    answerRequests(stream, "test.ask", async (data) => {
      answers++;
      return `${Buffer.from(data)}!`;
    }),
  );
  await Promise.all([one.nats.flush(), other.nats.flush()]);
  for (let i = 1; i <= 10; i++) {
    t.equal(`${Buffer.from((await askOne(one, "test.ask", "hello", 5000)) ?? "")}`, "hello!");
    t.equal(answers, i);
  }
  await Promise.all(end.map((finish) => finish()));
  t.equal(await askOne(one, "test.ask", "x", 1000), undefined);
});

t.test("requests - one that fails or is given up leaves the asker without an answer", async (t) => {
  const [one, other] = await connectTwo(t);
  const end = answerRequests(other, "test.fail", async (data) => {
    if (`${Buffer.from(data)}` === "throw") throw new Error("no");
    return undefined;
  });
  await other.nats.flush();
  for (const question of ["throw", "nothing"]) {
    t.equal(await askOne(one, "test.fail", question, 50), undefined, question);
  }
  await end();
});

t.test("requests - those under way are answered before the end", async (t) => {
  const [one, other] = await connectTwo(t);
  let open: () => void = () => {};
  let isAsked = false;
  const end = answerRequests(other, "test.slow", async () => {
    isAsked = true;
    await new Promise<void>((resolve) => {
      open = resolve;
    });
    return "late";
  });
  await other.nats.flush();
  const answer = askOne(one, "test.slow", "x", 10_000);
  await waitFor(() => isAsked, { message: "it does not arrive" });
  const ended = end();
  open();
  await ended;
  t.equal(`${Buffer.from((await answer) ?? "")}`, "late");
});

t.test("kick - all listeners hear it, until they stop", async (t) => {
  const [one, other] = await connectTwo(t);
  let heard = 0;
  const ends = [one, other].map((stream) => onKick(stream, "test.kick", () => heard++));
  await Promise.all([one.nats.flush(), other.nats.flush()]);
  kick(one, "test.kick");
  await waitFor(() => heard === 2, { message: "a kick got lost" });
  for (const end of ends) end();
  kick(other, "test.kick");
  await Promise.all([one.nats.flush(), other.nats.flush()]);
  t.equal(heard, 2);
});

t.test("kick - without a connection it is dropped, and does not fail", async (t) => {
  const [one] = await connectTwo(t);
  await one.close();
  t.doesNotThrow(() => kick(one, "test.kick"));
});
