import { DiscardPolicy, JetStreamApiError, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect, PermissionViolationError, TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import { Progress } from "#runtime";
import { isolation, privateNats, testServers, waitFor } from "#test-support";
import type { Stream } from "../connection/connect.ts";
import { AcknowledgedPublisher } from "./acknowledged-publisher.ts";
import { type Publication, publishOnce, publishOrThrow } from "./publish.ts";

/** A connection on which every publish fails with this error. */
function failing(error: Error): { stream: Stream; said: string[] } {
  return answering(() => Promise.reject(error));
}

function answering(publish: (publication: Publication) => Promise<unknown>): {
  stream: Stream;
  said: string[];
} {
  const said: string[] = [];
  const stream = {
    prefix: "",
    progress: new Progress(),
    connected: () => true,
    onConnection: () => () => {},
    heard: () => said.push("heard"),
    unheard: () => said.push("unheard"),
    publisher: { publish },
  };
  return { stream: stream as unknown as Stream, said };
}

const PUBLICATION = { subject: "s", payload: "p", id: "1" };
const mayNot = (operation: "publish" | "subscription", subject: string) =>
  new PermissionViolationError(`may not ${operation}`, operation, subject);
const apiError = (err_code: number, code: number, description = "d") =>
  new JetStreamApiError({ code, err_code, description });

t.test("publish - what follows from an error for the message", async (t) => {
  const noResponders = await requestErrorWithoutResponders();
  const cases: [Error, object, string | undefined][] = [
    [apiError(10077, 503, "maximum bytes exceeded"), { kind: "refused", reason: "stream_full" }, "heard"],
    [apiError(10077, 503, "maximum messages exceeded"), { kind: "refused", reason: "stream_full" }, "heard"],
    [apiError(10023, 503), { kind: "refused", reason: "stream_full" }, "heard"],
    [apiError(10002, 400), { kind: "refused", reason: "stream_full" }, "heard"],
    [apiError(10077, 503, "message too large"), { kind: "refused", reason: "server_refused" }, "heard"],
    [apiError(10054, 400), { kind: "refused", reason: "server_refused" }, "heard"],
    [apiError(10167, 429), { kind: "refused", reason: "server_refused" }, "heard"],
    [apiError(10158, 409), { kind: "unknown", reason: "in_process" }, "heard"],
    [apiError(10063, 503), { kind: "unknown", reason: "jetstream_10063" }, "heard"],
    [mayNot("publish", "s"), { kind: "refused", reason: "server_refused" }, undefined],
    [mayNot("publish", "other"), { kind: "unknown", reason: "PermissionViolationError" }, "unheard"],
    [mayNot("subscription", "s"), { kind: "unknown", reason: "PermissionViolationError" }, "unheard"],
    [new TimeoutError(), { kind: "unknown", reason: "TimeoutError" }, "unheard"],
    [noResponders, { kind: "refused", reason: "stream_missing" }, "unheard"],
    [
      new Error("of JetStream", { cause: noResponders }),
      { kind: "refused", reason: "stream_missing" },
      "unheard",
    ],
  ];
  for (const [error, result, contact] of cases) {
    const { stream, said } = failing(error);
    t.strictSame(await publishOnce(stream, PUBLICATION), result, error.message);
    t.strictSame(said, contact === undefined ? [] : [contact]);
  }
});

t.test("publish - an error names the partition, and nothing of a subject that is unbounded", async (t) => {
  const { stream } = failing(new TimeoutError());
  for (const [subject, name] of [
    ["ingest.3", "ingest.3"],
    ["platform.transactions.12", "platform.transactions.12"],
    ["config.deal.D0000000000000000000001.5", "config"],
  ]) {
    await t.rejects(publishOrThrow(stream, { ...PUBLICATION, subject: subject as string }), {
      message: `the stream of ${name} did not store a message: TimeoutError`,
    });
  }
});

t.test("publish - an error of the store after the write (10077) is unknown, not refused", async (t) => {
  for (const text of ["store is closed", "write /data/msgs/1.blk: no space left on device", "sync failed"]) {
    const { stream } = failing(apiError(10077, 503, text));
    t.strictSame(await publishOnce(stream, PUBLICATION), { kind: "unknown", reason: "store_failed" }, text);
  }
});

t.test("publish - a real server's answer for a full stream is a certain refusal", async (t) => {
  const server = await privateNats({ config: "", env: {} });
  t.teardown(() => server.remove());
  const nats = await connect({ port: server.port });
  t.teardown(() => nats.close());
  const { streams } = await jetstreamManager(nats);
  const limits = { discard: DiscardPolicy.New, retention: RetentionPolicy.Workqueue };
  await streams.add({ name: "B", subjects: ["bytes"], max_bytes: 2048, ...limits });
  await streams.add({ name: "M", subjects: ["messages"], max_msgs: 1, ...limits });
  const publisher = new AcknowledgedPublisher(nats, "_INBOX");
  const { stream } = answering((publication) => publisher.publish(publication));
  const full = { kind: "refused", reason: "stream_full" };
  for (const subject of ["bytes", "messages"]) {
    const publication = { subject, payload: "p".repeat(1200) };
    t.match(await publishOnce(stream, { ...publication, id: "1" }), { kind: "stored" });
    t.strictSame(await publishOnce(stream, { ...publication, id: "2" }), full, subject);
  }
});

t.test(
  "publish - with several attempts on a subject, the refusal may reach one whose message was stored",
  async (t) => {
    const rejects: ((error: Error) => void)[] = [];
    const { stream } = answering(() => new Promise((_, reject) => rejects.push(reject)));
    const [older, newer] = [
      publishOnce(stream, PUBLICATION),
      publishOnce(stream, { ...PUBLICATION, id: "2" }),
    ];
    const elsewhere = publishOnce(stream, { ...PUBLICATION, subject: "other" });
    for (const reject of rejects) reject(mayNot("publish", "s"));
    t.match(await older, { kind: "unknown" });
    await Promise.all([newer, elsewhere]);
    const again = publishOnce(stream, PUBLICATION);
    rejects.at(-1)?.(mayNot("publish", "s"));
    t.match(await again, { kind: "refused", reason: "server_refused" }, "alone, it is the one");
  },
);

t.test(
  "publish - a user that may publish but not listen for the acknowledgement has published",
  async (t) => {
    const config = `authorization { users: [
    { user: all, password: p }
    { user: deaf, password: p, permissions: { publish: "s", subscribe: { deny: ">" } } }
  ] }`;
    const server = await privateNats({ config, env: {} });
    t.teardown(() => server.remove());
    const connectAs = (user: string) => connect({ port: server.port, user, pass: "p" });
    const [all, deaf] = await Promise.all([connectAs("all"), connectAs("deaf")]);
    t.teardown(() => Promise.all([all.close(), deaf.close()]));
    const { streams } = await jetstreamManager(all);
    await streams.add({ name: "S", subjects: ["s"] });
    const publisher = new AcknowledgedPublisher(deaf, "_INBOX");
    const { stream } = answering((publication) => publisher.publish(publication));
    t.match(await publishOnce(stream, PUBLICATION), { kind: "unknown" });
    await deaf.flush();
    const isStored = async () => (await streams.info("S")).state.messages === 1;
    // The server has received it by now, and stores it soon.
    await waitFor(isStored, { message: "it is stored" });
  },
);

/** The client's error: its class for a subject without a listener is not public. */
async function requestErrorWithoutResponders(): Promise<Error> {
  const { natsUrl } = await testServers();
  const { host, username, password } = new URL(natsUrl);
  const nats = await connect({ servers: host, user: username, pass: password });
  try {
    return await nats.request(isolation()).then(
      () => new Error("an answer came"),
      (error: Error) => error,
    );
  } finally {
    await nats.close();
  }
}
