import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { encodeId } from "#domain";
import { writeEvents } from "#publisher-db";
import { testMember, testOrganisation, testProgram, testStore } from "#test-support";
import {
  advance,
  clockedStore,
  testEvents,
  testWebhook,
} from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { updateWebhook } from "../webhooks/webhook-rows.ts";
import { readTold } from "./read-told.ts";
import { readTrace, type TracedRows } from "./read-trace.ts";
import { traceWaiting } from "./trace-waiting.ts";

t.test("waiting - a purchase that earned nothing because its card is full says so", async (t) => {
  const store = await testStore();
  const { organisationId, memberId } = await testMember(store);
  const card = uuidv7();
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, created_at)
    values (${card}, ${organisationId}, ${memberId}, ${await testProgram(store)}, '2000-01-01')`;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id, identifier_6)
    values (now(), ${organisationId}, ${uuidv7()}, ${memberId}, 'a', 'authorized', 'visa', 'm', sha256('a'))`;
  const match = async (pending: number) => {
    await store`
      update stamp_collections set pending_redemptions = array(select gen_random_uuid() from generate_series(1, ${pending}::int))
      where id = ${card}`;
    const rows = await readTrace(store, { organisationId, externalId: "a", partition: 0 });
    return traceWaiting(rows as TracedRows, true).find(({ code }) => code === "match")?.text;
  };
  t.notMatch(await match(LIMITS.pendingRedemptionsPerCard - 1), encodeId("sc", card));
  t.match(await match(LIMITS.pendingRedemptionsPerCard), encodeId("sc", card));
});

t.test("waiting - no event waits for a webhook that asked for its type later", async (t) => {
  const { store } = await clockedStore();
  const organisationId = await testOrganisation(store);
  const webhook = await testWebhook(store, organisationId);
  const transactionId = uuidv7();
  const told = testEvents(organisationId, 1, { type: "cashback.cleared" });
  await writeEvents(
    store,
    told.map((event) => ({ ...event, transactionId })),
  );
  const waiting = async () => {
    const times = told.map(({ at }) => new Date(at));
    const { webhooks } = await readTold(store, { organisationId, transactionId, times });
    return webhooks.flatMap((one) => one.waiting).length;
  };
  await advance(store);
  await updateWebhook(store, organisationId, webhook, { events: ["*"] });
  t.equal(await waiting(), 0, "it gets events announced from now on");
  await updateWebhook(store, organisationId, webhook, { state: "paused" });
  t.equal(await waiting(), 0);
  const later = testEvents(organisationId, 1, { type: "cashback.cleared" });
  await writeEvents(
    store,
    later.map((event) => ({ ...event, transactionId })),
  );
  t.equal(await waiting(), 1, "of the same moment, written since");
  await updateWebhook(store, organisationId, webhook, { state: "enabled" });
  await advance(store);
  t.equal(await waiting(), 1);
});
