import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { FLOW } from "#contract";
import { connectStream, readStreamState } from "#nats";
import { createLog } from "#runtime";
import { makeEvent, PublisherClient, privatePostgres, startPipeline, waitFor } from "#test-support";

t.setTimeout(300_000);

const MAX_BYTES = 4 * 2 ** 20;

t.test(
  "while PostgreSQL is away, finished messages make room: a stream refuses none before it is full of unfinished ones",
  async (t) => {
    const postgres = await privatePostgres();
    t.teardown(() => postgres.remove());
    const pipeline = await startPipeline({
      databaseUrl: await postgres.databaseUrl(),
      env: {
        STAMPEDE_PARTITIONS: "1",
        STAMPEDE_REPLAY_MINUTES: "60",
        STAMPEDE_STREAM_MAX_BYTES: String(MAX_BYTES),
        STAMPEDE_LINK_MAX_BYTES: String(2 * MAX_BYTES),
      },
    });
    t.teardown(() => pipeline.stop());
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member] = (await client.enrol("patient")) as [string];
    const { natsUrl: url, streamPrefix: prefix } = pipeline;
    const stream = await connectStream({
      url,
      name: "test",
      prefix,
      log: createLog({ service: "test", level: "fatal" }),
    });
    t.teardown(() => stream.close());
    const state = () => readStreamState(stream, FLOW.ingest, 0);
    const accepted: string[] = [];
    const send = async () => {
      const events = Array.from({ length: 200 }, () => makeEvent(member));
      const answer = await client.ingest(events, { prefer: "respond-async" });
      if (answer.status === 202) accepted.push(...events.map(({ external_id }) => external_id));
      return answer;
    };
    const isTaken = async () => (await send()).status === 202;
    const fillTo = async (share: number) => {
      while ((await state()).bytes < share * MAX_BYTES) await waitFor(isTaken, { message: "it is refused" });
    };
    const appliedAll = async () => {
      const [{ count }] = await pipeline.store<
        [{ count: number }]
      >`select count(*)::int as count from transactions`;
      return count === accepted.length;
    };
    const writtenAll = async () => {
      const { last } = await state();
      return (await pipeline.store`select from ingest_positions where published = ${last}`).length === 1;
    };
    await fillTo(0.45);
    await waitFor(appliedAll, { message: "they are not applied" });
    t.equal((await state()).first, 1, "all messages are kept");

    // While the database is away, ingest makes room by what it knew to be done at its last look, once a
    // second. So it must look once more after all of this is written down. A stream that is more than half
    // full shows each look, and of two looks the second began late enough.
    await fillTo(0.52);
    await waitFor(writtenAll, { message: "what follows from them is not published" });
    const { last: done } = await state();
    for (let look = 0; look < 2; look++) {
      const { first } = await state();
      for (let message = 0; message < 2; message++) await waitFor(isTaken, { message: "it is refused" });
      await waitFor(async () => (await state()).first > first, { message: "ingest drops nothing" });
    }

    await postgres.stop();
    await waitFor(() => /partition ownership is unknown/.test(pipeline.ingest.output()), {
      message: "it does not notice",
    });
    // Ingest makes room about once a second, and a fifth of this small stream is soon full: the sender waits
    // for it.
    for (;;) {
      const { status, body } = await send();
      const { bytes, first } = await state();
      if (status === 202 && (bytes < 0.8 * MAX_BYTES || first > done)) continue;
      if (status === 202) {
        await waitFor(async () => (await state()).first > first, { message: "no room is made" });
      } else if (status !== 503) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
      else if (body.error.data.reason === "stream_full") break;
      // On a busy machine a request may be refused for another reason; the loop sends it again.
      else await delay(100);
    }
    const { first, bytes } = await state();
    t.ok(first > done, `all messages done by ${done} are gone: the first is ${first}`);
    t.ok(bytes > 0.9 * MAX_BYTES, `it is full: ${bytes}`);

    await postgres.start();
    await waitFor(appliedAll, { message: "what was accepted is not applied", deadlineMs: 60_000 });
  },
);
