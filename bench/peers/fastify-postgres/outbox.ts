import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import postgres from "postgres";
import { type Log, repeat } from "#runtime";
import { connectNats } from "../../src/kit/connect-nats.ts";

export interface Outbox {
  /** Call it after a commit that may have written into the outbox. */
  kick(): void;
  stop(): Promise<void>;
}

interface OutboxOptions {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly stream: string;
  readonly log: Log;
}

/** The records of one message: 300 KB, about what a message may hold. */
const BATCH = 1_000;
/** NATS keeps this much reserved. The stream has no reader here, and the oldest messages make room. */
const STREAM_BYTES = 256 * 1024 * 1024;
/** After a failure, and if no kick comes. */
const PAUSE_MS = 250;

/**
 * The transactional outbox in its usual form: each commit that changes transactions puts their anonymised
 * records into a table; a relay reads them in their order, publishes many in a message, and deletes them once
 * the stream has it. A crash in between publishes some twice, and loses none.
 */
export async function startOutbox({ databaseUrl, natsUrl, stream, log }: OutboxOptions): Promise<Outbox> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`
    create table if not exists outbox (id bigint generated always as identity primary key, record text not null)`;
  const nats = await connectNats(natsUrl);
  await (await jetstreamManager(nats)).streams.add({
    name: stream,
    subjects: [`${stream}.records`],
    max_bytes: STREAM_BYTES,
    discard: "old",
  });
  const messages = jetstream(nats);
  const relay = (): Promise<number> =>
    sql.begin(async (tx) => {
      const rows = await tx<{ record: string }[]>`
        delete from outbox where id in (select id from outbox order by id limit ${BATCH}) returning record`;
      if (rows.length > 0)
        await messages.publish(`${stream}.records`, rows.map(({ record }) => record).join("\n"));
      return rows.length;
    });
  const loop = repeat({
    name: "outbox",
    everyMs: PAUSE_MS,
    work: async (signal) => {
      while ((await relay()) > 0 && !signal.aborted);
    },
    failed: "records were not told; trying again",
    log,
  });
  return {
    kick: loop.kick,
    async stop() {
      await loop.stop();
      await nats.close();
      await sql.end();
    },
  };
}
