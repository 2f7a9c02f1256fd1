import t from "tap";
import { makeEvent, waitFor } from "#test-support";
import { startProxiedIngest } from "./proxied-ingest.ts";

/**
 * The process commits the rows and the position, and dies before it has reported them. A proxy in front of
 * NATS holds back what ingest sends, so that this moment lasts as long as the test wants.
 */
t.test(
  "ingest killed -9 between commit and report: the event counts once, and the id of the answer says so",
  async (t) => {
    const { pipeline, client, member, ingest: victim, proxy } = await startProxiedIngest(t);
    const warmUp = makeEvent(member);
    t.match(await client.ingest([warmUp]), { status: 200, body: { created: 1 } });

    proxy.freezeClient();
    const event = makeEvent(member, { amount: 700, currency: "EUR" });
    const answer = client.ingest([event], { prefer: "return=representation" });
    const stored = () => pipeline.store`select 1 from transactions where external_id = ${event.external_id}`;
    await waitFor(async () => (await stored()).length === 1, { message: "the event is not committed" });
    await victim.kill();
    await pipeline.start("ingest");

    // Nothing of it is known except that it is committed: the caller asks (contract, section 5).
    const accepted = await answer;
    t.match(accepted, { status: 202, body: { accepted: 1 } });
    const isProcessed = async () => {
      const { body } = await client.post("transaction.batch/get", { id: accepted.body.batch_id });
      return body.status === "processed" && body.accepted === 1 && body.rejected.length === 0;
    };
    await waitFor(isProcessed, { message: "the batch is not processed" });
    t.equal((await stored()).length, 1);
    t.match(await client.ingest([event]), { status: 200, body: { created: 0, unchanged: 1 } });
  },
);
