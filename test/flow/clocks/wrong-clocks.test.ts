import t from "tap";
import type { WebhookEvent } from "#contract";
import { decodeId } from "#domain";
import { PublisherClient, type ServiceName, waitFor } from "#test-support";
import { ClockScene, type Hook, SERVICES } from "./clock-scene.ts";
import { findFaketime } from "./wrong-clock.ts";

/*
 * A single wrong clock once deleted data. Here each process's clock jumps by an hour and by 31 days, forwards
 * and back, while it runs and before it starts, each time another process by another jump; the records that
 * must survive are made before.
 */

const HOUR = 3600;
const MONTH = 31 * 24 * HOUR;
const OFFSETS = [HOUR, -HOUR, MONTH, -MONTH];
const COFFEES = 2;

const library = findFaketime();
const skip = library === undefined && "no libfaketime here (Debian's package faketime)";

t.setTimeout(400_000);

t.test(
  "clocks that are wrong and that jump: nothing is deleted, lost, doubled or out of order",
  { skip },
  async (t) => {
    const scene = await ClockScene.open(t, library as string);
    const { loop } = scene;
    const [all, failing, paused] = [
      await scene.subscribes("all"),
      await scene.subscribes("failing"),
      await scene.subscribes("paused"),
    ];
    await loop.publisher("webhook/update", { id: paused.id, state: "paused" });
    const rotated = await loop.publisher("webhook/rotate-secret", { id: all.id, overlap_seconds: 3600 });
    all.secrets.push(rotated.secret);

    const recordOnly = scene.coffee("paid in the end");
    await scene.tells(recordOnly);
    const paymentOnly = scene.coffee("told of in the end");
    await loop.paid(paymentOnly);
    const batch = await loop.integrator.ingest([recordOnly.event], { prefer: "respond-async" });
    const batchId = batch.body.batch_id as string;
    const keyed = () =>
      loop.integrator.post("member-base/create", { name: "once" }, { "idempotency-key": "k1" });
    const first = await keyed();
    const { guest: valid } = await tokenForMinutes(loop);
    const { guest: expired, tokenId } = await tokenForMinutes(loop);
    // Not used yet, so no edge has it in memory.
    await loop.pipeline.store`
      update api_tokens set expires_at = now() - interval '1 second' where id = ${tokenId}`;

    for (const round of OFFSETS.keys()) {
      scene.refusesNext(failing, 503);
      const buying = scene.buys(COFFEES);
      for (const [i, service] of SERVICES.entries()) {
        scene.clocks[service].set(OFFSETS[(round + i) % OFFSETS.length] as number);
      }
      await buying;
      await scene.whenReported();
      await scene.buys(COFFEES);
      await scene.settles(all, failing);
      await scene.restart();
      await scene.whenReported();
      await scene.buys(COFFEES);
      await scene.settles(all, failing);

      for (const process of scene.wrong) {
        const { offset } = scene.clocks[process.service as ServiceName];
        const { status, body } = await process.ops("/readyz?verbose");
        t.equal(
          status,
          200,
          `${process.service}, ${offset} s off, is ready: no decision depends on its clock`,
        );
        t.match(JSON.parse(body).checks.database.detail, clockSaid(offset), "and says what is wrong");
        t.match(process.output(), clockSaid(offset), "in its log too");
      }
      t.equal((await loop.integrator.post("member-base/list", {})).status, 200);
      t.equal(
        (await valid.post("member-base/list", {})).status,
        200,
        "the edge takes a token that has not expired",
      );
      t.equal((await expired.post("member-base/list", {})).status, 401, "one that has");
      t.strictSame((await keyed()).body, first.body, "an idempotency key gets its first answer");
      const batchNow = () => loop.publisher("transaction.batch/get", { id: batchId });
      await waitFor(async () => (await batchNow()).status === "processed", {
        message: "the batch is not known",
      });
    }

    await loop.paid(recordOnly);
    await scene.tells(paymentOnly);
    await loop.publisher("webhook/update", { id: paused.id, state: "enabled" });
    const told = await scene.settles(all, failing, paused);

    const count = (type: WebhookEvent["type"]) => told.filter((event) => event.type === type).length;
    const stamps = scene.purchases.length;
    t.equal(stamps, 2 + 3 * COFFEES * OFFSETS.length);
    t.equal(
      count("qualifying_purchase.created"),
      stamps,
      "each purchase has its stamp, and so have the two that waited",
    );
    t.equal(count("cashback.created"), stamps / 2);
    const ids = told.map((event) => event.event_id);
    for (const hook of [all, failing, paused] satisfies Hook[]) {
      t.strictSame(scene.accepted(hook), ids, `${hook.path}: each event once, in order`);
      t.strictSame(scene.signatureFaults(hook), [], `${hook.path}: signed with the right time`);
      t.match(await loop.publisher("webhook/get", { id: hook.id }), { state: "enabled" });
    }
    t.ok(told.every(({ timestamp }) => Math.abs(Date.parse(timestamp) - Date.now()) < HOUR * 1000));
  },
);

/** A client whose token ends in twenty minutes, and the token's UUID. */
async function tokenForMinutes({ publisher, pipeline }: ClockScene["loop"]) {
  const expires_at = new Date(Date.now() + 20 * 60_000).toISOString();
  const request = { access: "read", description: "t", expires_at };
  const { id, token } = await publisher("api-token/create", request);
  return { guest: new PublisherClient(pipeline.edge.url, token), tokenId: decodeId("atok", id) as string };
}

const clockSaid = (offset: number) =>
  offset > 0 ? /this machine's clock is [\d.]+ s ahead of/ : /this machine's clock is [\d.]+ s behind/;
