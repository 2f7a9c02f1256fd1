import { JetStreamApiError } from "@nats-io/jetstream";
import { connect, TimeoutError } from "@nats-io/transport-node";
import t from "tap";
import { isolation, testServers } from "#test-support";
import type { Stream } from "./connect.ts";
import { publishOnce } from "./publish.ts";

/** A stream whose answer to a publish is this error. */
function failing(error: Error): { stream: Stream; said: string[] } {
  const said: string[] = [];
  const stream = {
    connected: () => true,
    onConnection: () => () => {},
    heard: () => said.push("heard"),
    unheard: () => said.push("unheard"),
    jetstream: { publish: () => Promise.reject(error) },
  };
  return { stream: stream as unknown as Stream, said };
}

const PUBLICATION = { subject: "s", payload: "p", id: "1" };
const apiError = (err_code: number) => new JetStreamApiError({ code: 503, err_code, description: "d" });

t.test("publish - what errors say about a message", async (t) => {
  const noResponders = await requestErrorWithoutResponders();
  const cases: [Error, object, string][] = [
    [apiError(10077), { kind: "refused", reason: "stream_full" }, "heard"],
    [apiError(10054), { kind: "refused", reason: "server_refused" }, "heard"],
    [apiError(10158), { kind: "unknown", reason: "in_process" }, "heard"],
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
    t.strictSame(said, [contact]);
  }
});

/** As the client makes it; its class for "nobody listens" is not public. */
async function requestErrorWithoutResponders(): Promise<Error> {
  const { natsUrl } = await testServers();
  const { host, username, password } = new URL(natsUrl);
  const nats = await connect({ servers: host, user: username, pass: password });
  try {
    return await nats.request(isolation()).then(
      () => new Error("somebody answered"),
      (error: Error) => error,
    );
  } finally {
    await nats.close();
  }
}
