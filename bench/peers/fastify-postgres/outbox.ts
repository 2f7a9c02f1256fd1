import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import postgres from "postgres";

export interface Outbox {
  /** To be called after a commit that may have written into it. */
  kick(): void;
  stop(): Promise<void>;
}

interface OutboxOptions {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly stream: string;
  readonly log: (error: unknown) => void;
}

/** Records of a message: 300 KB, as one message takes. */
const BATCH = 1_000;
/** NATS keeps it reserved; nobody reads it here, and what is oldest gives way. */
const STREAM_BYTES = 256 * 1024 * 1024;
/** Behind a failure, and where no kick comes. */
const PAUSE_MS = 250;

/**
 * The transactional outbox, as it is usually written: each commit that changes transactions puts their anonymised records into
 * a table; a relay takes them in their order, publishes many in a message, and removes them once the stream has it. A crash in
 * between publishes some twice, and loses none.
 */
export async function startOutbox({ databaseUrl, natsUrl, stream, log }: OutboxOptions): Promise<Outbox> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql`
    create table if not exists outbox (id bigint generated always as identity primary key, record text not null)`;
  const { host, username, password } = new URL(natsUrl);
  const nats = await connect({ servers: host, user: username, pass: password });
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
  let isStopping = false;
  let isKicked = false;
  let wake = (): void => {};
  const kick = (): void => {
    isKicked = true;
    wake();
  };
  const loop = (async () => {
    while (!isStopping) {
      isKicked = false;
      const told = await relay().catch((error) => {
        log(error);
        return 0;
      });
      if (told > 0 || isKicked) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PAUSE_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return {
    kick,
    async stop() {
      isStopping = true;
      kick();
      await loop;
      await nats.close();
      await sql.end();
    },
  };
}
