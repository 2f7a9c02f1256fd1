import t from "tap";
import { LIMITS, type TransactionEvent } from "#contract";
import { PublisherClient, startPipeline } from "#test-support";
import { drained } from "./drained.ts";
import { clientOf, makeEvents, takenAgain } from "./publisher-scene.ts";
import { recovered } from "./recovered.ts";

t.setTimeout(400_000);

/**
 * One event more than fits into a message: if the edge stored the second message but not the first, T would
 * end reverted.
 */
t.test(
  "[clear T, 999 others, revert T] in a stream that has room for the last only: 503, and T is cleared",
  async (t) => {
    const env = { STAMPEDE_PARTITIONS: "2", STAMPEDE_STREAM_MAX_BYTES: String(1024 * 1024) };
    const pipeline = await startPipeline({ env });
    t.teardown(() => pipeline.stop());
    const client = clientOf(pipeline);
    const [member] = (await client.enrol("ordered")) as [string];
    await pipeline.ingest.stop();
    const later = { prefer: "respond-async" };
    let status: number;
    do status = (await client.ingest(makeEvents(member, 0, 200), later)).status;
    while (status === 202);

    const events = makeEvents(member, 0, LIMITS.eventsPerMessage);
    const [first] = events as [TransactionEvent];
    events[0] = { ...first, cleared_at: "2026-03-02T10:00:00Z" };
    events.push({ ...first, reverted_at: "2026-03-03T10:00:00Z" });
    // An edge that does not know yet that there is no room.
    const fresh = await pipeline.start("edge");
    const other = new PublisherClient(fresh.url, pipeline.publisher.token);
    t.match(await other.ingest(events, later), { status: 503 });

    await pipeline.start("ingest");
    const afterwards = makeEvents(member, 0, 1);
    await recovered(t, "there is room", () => takenAgain(client, afterwards));
    await drained(pipeline);
    const read = await client.post("transaction/get", { external_id: first.external_id });
    t.equal(read.status, 404, "none of its events is stored");
    t.match(await client.ingest(events), {
      status: 409,
      body: { error: { data: { reason: "invalid_transition" } } },
    });
    t.match(await client.post("transaction/get", { external_id: first.external_id }), {
      body: { state: "cleared" },
    });
  },
);
