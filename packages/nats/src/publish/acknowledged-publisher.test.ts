import { JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { connect, type Msg, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import t from "tap";
import { createLog } from "#runtime";
import { privateNats } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { isNobodyThere } from "../connection/nats-errors.ts";
import { AcknowledgedPublisher } from "./acknowledged-publisher.ts";
import { publishOnce } from "./publish.ts";

/** A connection on which only the test answers. */
function silent() {
  const sent: { subject: string; token: string }[] = [];
  let hear: (error: Error | null, message: Msg) => void = () => {};
  let subscriptions = 0;
  const nats = {
    publish: (subject: string, _payload: unknown, { reply }: { reply: string }) => {
      sent.push({ subject, token: reply });
    },
    subscribe: (_subject: string, { callback }: { callback: typeof hear }) => {
      subscriptions++;
      hear = callback;
    },
  } as unknown as NatsConnection;
  const publisher = new AcknowledgedPublisher(nats, "_INBOX");
  return {
    publisher,
    sent,
    subscriptions: () => subscriptions,
    fail: (error: Error) => hear(error, {} as Msg),
    answer(at: number, body: object) {
      const text = JSON.stringify(body);
      hear(null, {
        subject: sent[at]?.token,
        data: Buffer.from(text),
        json: () => body,
      } as unknown as Msg);
    },
  };
}

const to = (subject: string, id = "1") => ({ subject, payload: "p", id });
const nameOf = (error: Error) => error.name;

t.test("publisher - each answer finds its own attempt, in any order", async (t) => {
  const { publisher, answer, subscriptions } = silent();
  const [one, two] = [publisher.publish(to("s")), publisher.publish(to("s"))];
  answer(1, { stream: "S", seq: 8, duplicate: true });
  answer(0, { stream: "S", seq: 7 });
  // A second answer, or one after the end: no attempt waits for it.
  answer(0, { stream: "S", seq: 9 });
  t.strictSame(await Promise.all([one, two]), [
    { seq: 7, duplicate: false },
    { seq: 8, duplicate: true },
  ]);
  t.equal(subscriptions(), 1);
});

t.test("publisher - attempts under way fail as soon as the connection breaks", async (t) => {
  const { publisher, answer } = silent();
  const broken = [publisher.publish(to("s")), publisher.publish(to("t"))];
  publisher.disconnected();
  for (const attempt of broken) await t.rejects(attempt, { name: "DisconnectedError" });
  const next = publisher.publish(to("s"));
  answer(0, { stream: "S", seq: 1 });
  answer(2, { stream: "S", seq: 2 });
  t.match(await next, { seq: 2 }, "an answer to an attempt of before is none to this one");
});

t.test("publisher - a refusal goes to the oldest attempt on its subject", async (t) => {
  const { publisher, answer } = silent();
  const [other, older, newer] = ["t", "s", "s"].map((subject) => publisher.publish(to(subject)));
  publisher.refused(new PermissionViolationError("may not", "publish", "s"));
  publisher.refused(new PermissionViolationError("may not", "publish", "unused"));
  await t.rejects(older as Promise<unknown>, { name: "PermissionViolationError" });
  answer(0, { stream: "S", seq: 1 });
  answer(2, { stream: "S", seq: 2 });
  t.match(await Promise.all([other, newer]), [{ seq: 1 }, { seq: 2 }]);
});

t.test("publisher - a user that may not listen subscribes again at the next attempt", async (t) => {
  const { publisher, fail, answer, subscriptions } = silent();
  const deaf = publisher.publish(to("s"));
  fail(new PermissionViolationError("may not", "subscription", "_INBOX"));
  t.equal(await deaf.catch(nameOf), "PermissionViolationError");
  const next = publisher.publish(to("s"));
  answer(1, { stream: "S", seq: 1 });
  t.match(await next, { seq: 1 });
  t.equal(subscriptions(), 2);
});

t.test("publisher - a header with a line break does not leave", async (t) => {
  const { publisher, sent } = silent();
  const headers = { "Stampede-Rows": "1\r\nNats-Rollup: all" };
  await t.rejects(publisher.publish({ ...to("s"), headers }), /line break/);
  await t.rejects(publisher.publish(to("s", "1\n2")), /line break/);
  t.equal(sent.length, 0);
});

t.test("publisher - the answers of a real server", async (t) => {
  const config = `authorization { users: [
    { user: all, password: p }
    { user: some, password: p, permissions: { publish: ["s", "silent", "nowhere", "$JS.API.>"] } }
  ] }`;
  const server = await privateNats({ config, env: {} });
  t.teardown(() => server.remove());
  const all = await connect({ port: server.port, user: "all", pass: "p" });
  t.teardown(() => all.close());
  const { streams } = await jetstreamManager(all);
  await streams.add({ name: "S", subjects: ["s"] });
  const log = createLog({ service: "test", level: "fatal" });
  const url = `nats://some:p@127.0.0.1:${server.port}`;
  const stream = await connectStream({ url, name: "edge", prefix: "", log });
  t.teardown(() => stream.close());
  const { publisher } = stream;
  const headers = { "Stampede-Rows": "3" };
  t.strictSame(await publisher.publish({ ...to("s"), headers }), { seq: 1, duplicate: false });
  t.strictSame(await publisher.publish(to("s")), { seq: 1, duplicate: true });
  const stored = await streams.getMessage("S", { seq: 1 });
  t.equal(stored?.header.get("Stampede-Rows"), "3");
  t.equal(stored?.string(), "p");
  await streams.update("S", { max_msg_size: 10 });
  const tooLarge = await publisher.publish({ ...to("s", "2"), payload: "p".repeat(100) }).catch((e) => e);
  t.type(tooLarge, JetStreamApiError);
  t.ok(isNobodyThere(await publisher.publish(to("nowhere")).catch((error) => error)));
  t.strictSame(await publishOnce(stream, to("secret")), { kind: "refused", reason: "server_refused" });
  all.subscribe("silent", { callback: () => {} });
  await all.flush();
  const lost = publisher.publish(to("silent")).catch(nameOf);
  await stream.nats.reconnect();
  t.equal(await lost, "DisconnectedError");
});
