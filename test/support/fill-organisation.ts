import { randomBytes, randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { decodeId, encodeId } from "#domain";
import { createWebhook } from "../../services/edge/src/webhooks/webhook-rows.ts";
import { makeEvent, PublisherClient, type RawAnswer } from "./publisher-client.ts";
import type { Pipeline, Publisher } from "./start-pipeline.ts";

/** One record of each kind that an organisation can have; ids as the API shows them. */
export interface FullOrganisation {
  readonly api_token: string;
  readonly member_base: string;
  readonly member: string;
  readonly ref: string;
  readonly transaction: string;
  readonly external_id: string;
  readonly batch: string;
  readonly stamp_collection: string;
  readonly clip: string;
  readonly webhook: string;
  readonly event: string;
  readonly delivery: string;
  /** The program and the deal, which belong to no organisation. */
  readonly loyalty_program: string;
  readonly deal: string;
}

const DISPLAY = { title: "t", image: "https://a.example/i", summary: "s", description: "d", terms: "none" };

/**
 * Makes one record of every kind: over the API, or in the database if it would need a platform.
 * @param mark stands in every text of the records except refs and external_ids, which another organisation may use too
 */
export async function fillOrganisation(
  pipeline: Pipeline,
  publisher: Publisher,
  mark: string,
): Promise<FullOrganisation> {
  const client = new PublisherClient(pipeline.edge.url, publisher.token);
  const make = async (route: string, body: unknown, headers?: Record<string, string>) =>
    succeeded(route, await client.post(route, body, headers));
  const token = await make("api-token/create", { access: "read", description: mark });
  const base = await make("member-base/create", { name: mark });
  const ref = randomUUID();
  const members = { member_base_id: base.id, members: [{ ref, attributes: { note: mark } }] };
  const [member] = (await make("member/bulk-upsert", members)) as [string];
  const event = makeEvent(member, {
    merchant_id: mark,
    statement_descriptor: mark,
    amount: 1250,
    currency: "EUR",
  });
  await make("transaction/ingest", { events: [event] });
  // An event that is rejected, and kept as rejected: it has another card.
  await client.ingest([{ ...event, auth_code: "OTHER1" }]);
  const queued = [makeEvent(member)];
  const batch = await make("transaction/ingest", { events: queued }, { prefer: "respond-async" });
  const transaction = await make("transaction/get", { external_id: event.external_id });
  const webhook = await addWebhook(pipeline, publisher, mark);
  const wallet = await fillWallet(pipeline, publisher, { member, transaction: transaction.id, ref: mark });
  return {
    api_token: token.id,
    member_base: base.id,
    member,
    ref,
    transaction: transaction.id,
    external_id: event.external_id,
    batch: batch.batch_id,
    webhook,
    event: await addEvent(pipeline, publisher, mark),
    delivery: await addDelivery(pipeline, publisher, webhook, mark),
    ...wallet,
  };
}

function succeeded(route: string, answer: RawAnswer) {
  if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function fillWallet(
  { store }: Pipeline,
  { organisationId }: Publisher,
  of: { member: string; transaction: string; ref: string },
) {
  const member = decodeId("m", of.member) as string;
  const transaction = decodeId("tx", of.transaction) as string;
  const [program, deal, collection, clip] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()] as const;
  const reward = JSON.stringify({ type: "refund" });
  const percent = JSON.stringify({ type: "percent", percent: 10 });
  const display = JSON.stringify(DISPLAY);
  await store`
    insert into loyalty_programs
      (id, revision, created_at, updated_at, qualifying_threshold, name, reward_config, display_content)
    values (${program}, 1, now(), now(), 5, 'Coffee', ${reward}::text::jsonb, ${display}::text::jsonb)`;
  await store`
    insert into deals (id, revision, created_at, updated_at, name, reward_config, display_content)
    values (${deal}, 1, now(), now(), 'Tea', ${percent}::text::jsonb, ${display}::text::jsonb)`;
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, unredeemed_purchases)
    values (${collection}, ${organisationId}, ${member}, ${program}, 2)`;
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    values (${clip}, ${organisationId}, ${member}, ${deal})`;
  await store`
    insert into cashbacks
      (id, organisation_id, transaction_id, amount, member_id, clip_id, deal_id, transaction_ref, state, currency)
    values
      (${uuidv7()}, ${organisationId}, ${transaction}, 125, ${member}, ${clip}, ${deal}, ${of.ref}, 'pending', 'EUR')`;
  await fillCard(store, { organisationId, member, transaction, program, collection, ref: of.ref });
  return {
    loyalty_program: encodeId("lp", program),
    deal: encodeId("deal", deal),
    stamp_collection: encodeId("sc", collection),
    clip: encodeId("clip", clip),
  };
}

interface Card {
  readonly organisationId: string;
  readonly member: string;
  readonly transaction: string;
  readonly program: string;
  readonly collection: string;
  readonly ref: string;
}

/** A live stamp, and one that belongs to a redemption. */
async function fillCard(store: Pipeline["store"], card: Card): Promise<void> {
  const { organisationId, member, transaction, program, collection, ref } = card;
  const [live, redeemed, redemption] = [uuidv7(), uuidv7(), uuidv7()];
  await store`
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      redemption_id, transaction_ref)
    values (1, now(), ${redeemed}, ${organisationId}, ${collection}, ${uuidv7()}, ${redemption}, ${ref}),
           (2, now(), ${live}, ${organisationId}, ${collection}, ${transaction}, null, ${ref})`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    values (now(), ${redemption}, ${organisationId}, ${collection}, ${transaction}, array[${redeemed}::uuid])`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, loyalty_program_id,
                           stamp_collection_id, redemption_id, transaction_ref, state, currency)
    values (${uuidv7()}, ${organisationId}, ${transaction}, 300, ${member}, ${program}, ${collection}, ${redemption},
            ${ref}, 'pending', 'EUR')`;
}

/** Makes a webhook in the database. Its secret is never opened here, so any bytes can stand for a sealed one. */
async function addWebhook({ store }: Pipeline, { organisationId }: Publisher, mark: string): Promise<string> {
  const id = uuidv7();
  await createWebhook(store, {
    id,
    organisationId,
    url: `https://${mark}.example/hook`,
    description: mark,
    events: ["cashback.created"],
    secret: { id: randomUUID(), keyId: "none", bytes: randomBytes(48) },
  });
  return encodeId("whk", id);
}

/** Makes an event of a type that the webhook does not subscribe to, so that no delivery is made, and shows it. */
async function addEvent({ store }: Pipeline, { organisationId }: Publisher, mark: string): Promise<string> {
  const id = uuidv7();
  const type = "transaction.rejected";
  const event = {
    event_id: encodeId("evt", id),
    type,
    timestamp: "2026-03-01T10:00:00.000Z",
    transaction_ref: mark,
    code: "conflict",
    reason: "invalid_transition",
    batch_id: encodeId("batch", id),
    member_id: null,
    member_ref: null,
  };
  await store`
    insert into events (at, id, organisation_id, type, body)
    values (${event.timestamp}::text::timestamptz, ${id}, ${organisationId}, ${type}, ${JSON.stringify(event)})`;
  await store`update webhook_horizon set sequence = (select max(sequence) from events)`;
  return event.event_id;
}

/** Makes a delivery that arrived at the second attempt. */
async function addDelivery(
  { store }: Pipeline,
  { organisationId }: Publisher,
  webhook: string,
  mark: string,
): Promise<string> {
  const id = uuidv7();
  await store`
    insert into webhook_deliveries
      (id, webhook_id, organisation_id, created_at, attempts, last_attempt_at, status, state, event_sequences, answer)
    select ${id}, ${decodeId("whk", webhook) as string}, ${organisationId}, now(), 2, now(), 200, 'delivered',
           array[max(sequence)], ${mark}
    from events where organisation_id = ${organisationId}`;
  await store`
    insert into webhook_attempts (at, delivery_id, number, duration_ms, status, answer)
    values (now(), ${id}, 1, 5, 500, ${mark}), (now(), ${id}, 2, 5, 200, ${mark})`;
  return encodeId("dlv", id);
}
