import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { packEvents, packMessage } from "#contract/codec";
import { makeConsoleLink } from "#publisher-db";
import {
  connectTo,
  dumpEveryRow,
  makeEvent,
  type Pipeline,
  PublisherClient,
  privateNats,
  startPipeline,
  waitFor,
} from "#test-support";
import { Visitor } from "../../services/console/src/test-console.ts";

/**
 * Raw card data lives in a stream message until that is done and purged, and nowhere else (contract, section
 * 6). The test sends values that occur nowhere by chance down every path, and then searches every place that
 * keeps or shows anything.
 */
const AUTH_CODE = "CANARY7Q9X2";
const BIN = "98170463";
/** The same bytes in hex, as a bytea column would show them. */
const IN_HEX = [AUTH_CODE, BIN].map((text) => Buffer.from(text).toString("hex"));
const FORBIDDEN = [AUTH_CODE, AUTH_CODE.toLowerCase(), BIN, BIN.slice(0, 6), ...IN_HEX];

t.test("card data waits in the stream, and no file of NATS holds it in clear", async (t) => {
  const nats = await privateNats();
  t.teardown(() => nats.remove());
  const pipeline = await startPipeline({ natsUrl: nats.url });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("canary")) as [string];
  await pipeline.ingest.stop();
  const events = Array.from({ length: 200 }, () => makeEvent(member, { auth_code: AUTH_CODE, bin: BIN }));
  t.equal((await client.ingest(events, { prefer: "respond-async" })).status, 202);

  const connection = await connectTo(pipeline);
  const { streams } = await jetstreamManager(connection);
  const waiting: string[] = [];
  for await (const { config, state } of streams.list()) {
    if (!config.name.includes("INGEST") || state.messages === 0) continue;
    waiting.push((await streams.getMessage(config.name, { seq: state.first_seq }))?.string() ?? "");
  }
  await connection.close();
  t.ok(
    [AUTH_CODE, BIN].every((value) => waiting.join().includes(value)),
    "the stream has the card data",
  );
  const files = readdirSync(nats.dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(nats.dataDir, name))
    .filter((file) => statSync(file).isFile());
  t.ok(
    files.some((file) => file.endsWith(".blk") && statSync(file).size > 0),
    "on disk",
  );
  for (const file of files) {
    const content = readFileSync(file);
    const found = FORBIDDEN.filter((value) => content.includes(value));
    t.strictSame(found, [], `${file.slice(nats.dataDir.length)} holds no card data`);
  }
});

t.test("card data stays in the stream: no log, metric, answer, table or dead letter holds it", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "trace" } });
  t.teardown(() => pipeline.stop());
  const console = await pipeline.start("console", {
    STAMPEDE_CONSOLE_TOKENS: pipeline.publisher.token,
    STAMPEDE_CONSOLE_PUBLISHER_URL: pipeline.edge.url,
  });
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("canary")) as [string];
  const card = { auth_code: AUTH_CODE, bin: BIN };
  const event = makeEvent(member, card);
  const cleared = { ...event, cleared_at: "2026-03-02T10:00:00Z" };

  const answers = [
    await client.ingest([event, event]),
    await client.ingest([cleared]),
    await client.ingest([{ ...event, reverted_at: "2026-03-02T10:00:00Z" }]),
    await client.ingest([{ ...event, auth_code: `${AUTH_CODE}Y` }]),
    await client.ingest([makeEvent("m_unknown", card)]),
    await client.ingest([makeEvent(member, card)], { prefer: "respond-async" }),
    await client.ingest([{ ...makeEvent(member, card), amount: -1 }]),
    await client.post("transaction/ingest", { events: [{ ...event, bin: `${BIN}9` }] }),
    await client.post("transaction/ingest", { events: [{ ...event, auth_code: [AUTH_CODE] }] }),
    await client.post("transaction/ingest", `{"events":[{"auth_code":"${AUTH_CODE}","bin":"${BIN}"`),
    await client.post("transaction/ingest", { [AUTH_CODE]: BIN, events: [event] }),
    await client.post("transaction/get", { external_id: event.external_id }),
    await client.post("transaction/trace", { external_id: event.external_id }),
  ];
  t.strictSame(
    answers.map((answer) => answer.status),
    [200, 200, 409, 409, 404, 202, 400, 400, 400, 400, 400, 200, 200],
  );
  await publishPoison(pipeline);
  const dead = await waitFor(() => readDeadLetters(pipeline), { message: "no dead letter came" });
  await waitFor(async () => (await pipeline.store`select 1 from transactions`).length === 2, {
    message: "the asynchronous event was not stored",
  });

  const looked = await lookThrough(pipeline, console.url as string, member, event.external_id);
  // A client's own words come back in one place only: the name of an unknown field, which is no value of ours.
  const shown = answers
    .filter((_, i) => i !== 10)
    .map((answer) => JSON.stringify([answer.headers, answer.body]));
  const places: Array<[string, string]> = [
    ["answers", shown.join("\n")],
    ["answers of the console", looked],
    ["console log", console.output()],
    ["console metrics", (await console.ops("/metrics")).body],
    ["edge log", pipeline.edge.output()],
    ["ingest log", pipeline.ingest.output()],
    ["edge metrics", (await pipeline.edge.ops("/metrics")).body],
    ["ingest metrics", (await pipeline.ingest.ops("/metrics")).body],
    ["edge readiness", (await pipeline.edge.ops("/readyz?verbose")).body],
    ["dead letters", dead],
    ["database", await dumpEveryRow(pipeline.store)],
  ];
  t.ok(places.at(-1)?.[1].includes(event.external_id), "the search finds a value that is there");
  for (const [place, text] of places) {
    t.ok(text.length > 0, `${place} was searched`);
    const found = FORBIDDEN.filter((value) => text.includes(value));
    t.strictSame(found, [], `${place} holds no card data`);
  }
});

/** The console's view of the purchase. */
async function lookThrough(
  { store }: Pipeline,
  url: string,
  member: string,
  externalId: string,
): Promise<string> {
  const visitor = new Visitor(url);
  await visitor.follow(await makeConsoleLink(store, url, { user: "ada", role: "administrator" }));
  const answers: string[] = [];
  const look = async (route: string, body: object) => {
    const { status, headers, text } = await visitor.post(route, body);
    t.equal(status, 200, route);
    answers.push(JSON.stringify(headers) + text);
  };
  await look("publisher.v1/transaction/get", { external_id: externalId });
  await look("publisher.v1/transaction/list", { member_id: member });
  await look("publisher.v1/transaction.rejection/list", { external_id: externalId });
  await look("publisher.v1/event/list", { transaction_ref: externalId });
  await look("publisher.v1/member/get", { id: member });
  await look("audit", {});
  return answers.join("\n");
}

/** A message that ingest cannot read: it goes to the dead letters. */
async function publishPoison(pipeline: Pipeline): Promise<void> {
  const nats = await connectTo(pipeline);
  const event = { ...makeEvent("m_unknown"), auth_code: AUTH_CODE, bin: BIN };
  const part = { batch: "b", organisation: "o", awaited: false, events: 1 };
  const { bytes } = packEvents([event], [0]);
  const message = packMessage({ reply: "nowhere", parts: [part] }, [bytes.subarray(0, -1)]);
  await jetstream(nats).publish(`${pipeline.streamPrefix}ingest.0`, message);
  await nats.close();
}

async function readDeadLetters(pipeline: Pipeline): Promise<string | undefined> {
  const nats = await connectTo(pipeline);
  try {
    const manager = await jetstreamManager(nats);
    const stream = `${pipeline.streamPrefix}DEAD`;
    const { state } = await manager.streams.info(stream);
    if (state.messages === 0) return undefined;
    const message = await manager.streams.getMessage(stream, { seq: state.first_seq });
    return message === null ? undefined : message.string();
  } finally {
    await nats.close();
  }
}
