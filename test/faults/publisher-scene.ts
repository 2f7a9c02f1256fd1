import type { TransactionEvent } from "#contract";
import { partitionOf } from "#domain";
import { makeEvent, type Pipeline, PublisherClient, type RawAnswer } from "#test-support";

/** The time-out of steps that the tests need but do not test: for a busy machine. */
export const PATIENCE_MS = 60_000;

export function clientOf(pipeline: Pipeline): PublisherClient {
  return new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
}

/** The answer, once it is 200. */
export async function takenAgain(
  client: PublisherClient,
  events: readonly TransactionEvent[],
): Promise<RawAnswer | undefined> {
  const answer = await client.ingest(events);
  return answer.status === 200 ? answer : undefined;
}

/** Makes events of one of two partitions. */
export function makeEvents(member: string, partition: number, count: number): TransactionEvent[] {
  const events: TransactionEvent[] = [];
  while (events.length < count) {
    const event = makeEvent(member);
    if (partitionOf(event.external_id, 2) === partition) events.push(event);
  }
  return events;
}

export async function storedIds(pipeline: Pipeline): Promise<string[]> {
  const rows = await pipeline.store<{ id: string }[]>`
    select external_id as id from transactions order by external_id`;
  return rows.map((row) => row.id);
}

/**
 * No statement can write a transaction until the test calls the returned function, or the database stops.
 */
export async function holdWrites({ store }: Pipeline): Promise<() => Promise<void>> {
  let letGo = () => {};
  const isOver = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let holding: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    holding = store
      .begin(async (sql) => {
        await sql`lock table transactions in exclusive mode`;
        resolve();
        await isOver;
      })
      .catch(reject);
  });
  return () => {
    letGo();
    return holding;
  };
}
