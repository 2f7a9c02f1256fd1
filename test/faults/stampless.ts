import { setTimeout as delay } from "node:timers/promises";
import { FLOW } from "#contract";
import { encodeId } from "#domain";
import { readDeadLetters } from "#nats/dead-letters";
import type { Store } from "#postgres";
import { type Pipeline, type PlatformLink, readMessages } from "#test-support";

interface Stampless {
  readonly externalId: string;
  readonly id: string;
}

const SHOWN = 10;
const LATE_MS = 10_000;

/** Purchases that lack a stamp. Every purchase should have one: its member has a card, and the program needs no payment. */
async function findStampless(store: Store): Promise<Stampless[]> {
  return store<Stampless[]>`
    select t.external_id as "externalId", t.id from transactions t
    where state <> 'reverted' and not exists (
      select from qualifying_purchases q where q.transaction_ref = t.external_id and q.voided_at is null)
    order by t.external_id
    limit ${SHOWN}`;
}

/** Purchases that lack a stamp, each with its rows and messages, and whether its stamp comes within ten seconds. */
export async function tellStampless(pipeline: Pipeline, link: PlatformLink): Promise<object[]> {
  const { store } = pipeline;
  const found = await findStampless(store);
  if (found.length === 0) return [];
  const told = [];
  for (const { externalId, id } of found) told.push({ externalId, ...(await tell(pipeline, id)) });
  const [streams, letters] = [await tellStreams(pipeline, link), await readLetters(link)];
  await delay(LATE_MS);
  const left = (await findStampless(store)).map(({ externalId }) => externalId);
  return [
    ...told.map((one) => ({ ...one, comesLate: !left.includes(one.externalId) })),
    { ...streams, letters },
  ];
}

/** @param id UUID of a transaction */
async function tell(pipeline: Pipeline, id: string): Promise<object> {
  const { store, platformStore } = pipeline;
  const transactionId = encodeId("tx", id);
  const held: object[] = [];
  for (const { stream } of [FLOW.platformTransactions, FLOW.outcomes, FLOW.settlement]) {
    for (const { partition, sequence, body } of await readMessages<unknown>(pipeline, stream)) {
      const text = JSON.stringify(body);
      if (text.includes(transactionId) || text.includes(id)) held.push({ stream, partition, sequence });
    }
  }
  const rowsOf = async (rows: PromiseLike<{ row: string }[]>) =>
    (await rows).map(({ row }) => JSON.parse(row));
  return {
    transaction: await rowsOf(store`
      select row_to_json(t)::text as row from transactions t where id = ${id}`),
    cards: await rowsOf(store`
      select row_to_json(c)::text as row from stamp_collections c
      where member_id = (select member_id from transactions where id = ${id})`),
    stamps: await rowsOf(store`
      select row_to_json(q)::text as row from qualifying_purchases q where transaction_id = ${id}`),
    early: await rowsOf(store`
      select row_to_json(e)::text as row from early_outcomes e where transaction_id = ${id}`),
    record: await rowsOf(platformStore`
      select row_to_json(r)::text as row from platform.records r where transaction_id = ${id}`),
    unrouted: await rowsOf(platformStore`
      select row_to_json(u)::text as row from platform.unrouted_records u where transaction_id = ${id}`),
    queued: await rowsOf(platformStore`
      select row_to_json(q)::text as row from platform.outcome_queue q where outcome like ${`%${transactionId}%`}`),
    held,
  };
}

/** The streams with their consumers, and the positions of the consumers. */
async function tellStreams({ store, platformStore }: Pipeline, { stream }: PlatformLink): Promise<object> {
  const streams = [];
  for await (const { config, state, created, cluster } of stream.manager.streams.list()) {
    if (!config.name.startsWith(stream.prefix)) continue;
    const consumers = await stream.manager.consumers.list(config.name).next();
    const { first_seq, last_seq, messages } = state;
    const readers = consumers.map(({ delivered, num_pending, num_waiting, cluster }) => ({
      delivered: delivered.stream_seq,
      num_pending,
      num_waiting,
      at: cluster?.leader,
    }));
    streams.push({
      name: config.name,
      created,
      first_seq,
      last_seq,
      messages,
      leader: cluster?.leader,
      readers,
    });
  }
  const places = await store`
    select hop, partition, done::text, stream_created, updated_at from stream_places
    union all
    select 'INGEST', partition, published::text, stream_created, updated_at from ingest_positions`;
  const ofPlatform = await platformStore`
    select hop, partition, done::text, stream_created, updated_at from platform.stream_places`;
  return { streams, places: [...places, ...ofPlatform] };
}

async function readLetters({ stream }: PlatformLink): Promise<object[]> {
  const letters = [];
  for await (const { at, letter } of readDeadLetters(stream)) letters.push({ at, letter });
  return letters;
}
