import type { PartitionPlace, ReadPlace } from "#contract";
import { PARTITION_LOCKS } from "./partition-locks.ts";
import { type Fragment, type Identifier, utc } from "./statement.ts";
import type { Sql } from "./store.ts";

/** The state of a stream when it is taken over. */
interface HeldStream {
  /** Like `ReadPlace.streamCreated`. */
  readonly created: string;
  /** Sequence of its newest message. */
  readonly last: number;
}

/**
 * Keeps the places of the readers of unordered hops in the table `stream_places`, in the database of their work.
 *
 * A place is written after the work was committed, and claims that the work is stored. So it must be written to the very database that
 * has it: after a restore, or the promotion of a standby, a process that goes on could otherwise claim work that the database lacks.
 * The session that holds the locks of the partitions ends with its server, so all statements go over that session, and a session that
 * took nothing over moves nothing.
 */
export class StreamPlaces {
  readonly #sql: Sql;
  readonly #table: Identifier;
  readonly #lock: number;
  readonly #assertReady: (hop: string) => Promise<void>;
  readonly #readHeld: ((hop: string, partition: number) => Promise<HeldStream | undefined>) | undefined;
  /**
   * By hop and partition: the last sequence that is read again, and the start time of the server in which the
   * place was taken over.
   */
  readonly #taken = new Map<string, { readonly replayThrough: number; readonly server: string }>();

  /**
   * @param options.sql over the one session that holds the locks of the partitions
   * @param options.table with its schema, if that is not `public`
   * @param options.assertReady throws while reading must wait after a start of the server. Absent: it need
   * not
   * @param options.readHeld reads a stream's content, which is noted when its partition is first taken over
   * in a server (`replay_through`), and which later owners keep: messages up to then may have been handled in
   * a database that is gone. Absent: nothing is noted
   */
  constructor(options: {
    readonly sql: Sql;
    readonly service: keyof typeof PARTITION_LOCKS;
    readonly table?: string;
    readonly assertReady?: (hop: string) => Promise<void>;
    readonly readHeld?: (hop: string, partition: number) => Promise<HeldStream | undefined>;
  }) {
    this.#sql = options.sql;
    this.#table = options.sql(options.table ?? "stream_places");
    this.#lock = PARTITION_LOCKS[options.service].partition;
    this.#assertReady = options.assertReady ?? (async () => {});
    this.#readHeld = options.readHeld;
  }

  /** Whether the stream held the message when its partition was first taken over in this server. Only with `readHeld`. */
  isReplayed(
    hop: string,
    { partition, sequence }: { readonly partition: number; readonly sequence: number },
  ): boolean {
    return sequence > 0 && sequence <= (this.#taken.get(keyOf(hop, partition))?.replayThrough ?? 0);
  }

  /**
   * Notes the server in which the messages' places were taken over. A process that outlives a restore holds
   * messages that it read before: their work must wait until the places are taken over again, and with them
   * until the database is ready for it (`assertReady`). Call it before drawing any conclusion from the
   * messages: by the time of the work the places may have been taken over again, in the restored database.
   * @param messages those of sequence 0 come from no stream
   * @returns throws if the server was started since. Best called with the transaction of the work
   */
  noteServer(
    hop: string,
    messages: readonly { readonly partition: number; readonly sequence: number }[],
  ): (sql: Sql) => Promise<void> {
    const read = messages.filter(({ sequence }) => sequence > 0);
    const servers = new Set(read.map(({ partition }) => this.#taken.get(keyOf(hop, partition))?.server));
    const [server = null] = servers;
    return async (sql) => {
      if (servers.size === 0) return;
      // As text: the client cuts a timestamp parameter to milliseconds.
      const [{ same }] = await sql<[{ same: boolean | null }]>`
        select pg_postmaster_start_time() = ${server}::text::timestamptz as same`;
      if (servers.size > 1 || same !== true)
        throw new Error("PostgreSQL was started since the messages were read; they are read again");
    };
  }

  /**
   * Takes a place over: from then on no earlier owner moves it.
   * @throws if this session does not hold the partition's lock, or the database is not ready
   */
  async takeOver(hop: string, partition: number): Promise<ReadPlace | undefined> {
    const [before] = await this.#sql<{ streamCreated: string }[]>`
      select stream_created as "streamCreated" from ${this.#table}
      where hop = ${hop} and partition = ${partition} and server_started <> pg_postmaster_start_time()`;
    if (before !== undefined) await this.#assertReady(hop);
    const through = before && (await this.#through(hop, partition, before.streamCreated));
    const [row] = await this.#sql<(ReadPlace & { replayThrough?: number | null; server: string })[]>`
      insert into ${this.#table} as p (hop, partition, session)
      select ${hop}, ${partition}, ${this.#session()}
      where exists (
        select from pg_locks
        where locktype = 'advisory' and objsubid = 2 and classid::bigint = ${this.#lock}::bigint
          and objid::bigint = ${partition}::bigint and pid = pg_backend_pid() and granted
      )
      on conflict (hop, partition) do update set session = excluded.session, server_started = excluded.server_started
        ${this.#sqlIfHeld(
          // A later owner in the same server keeps it.
          this
            .#sql`, replay_through = case when p.server_started = excluded.server_started then p.replay_through
            else ${through ?? null}::bigint end`,
        )}
      returning stream_created as "streamCreated", done, stored_at as "storedAtMs", ${utc(this.#sql, "server_started")} as server
        ${this.#sqlIfHeld(this.#sql`, replay_through as "replayThrough"`)}`;
    if (row === undefined) throw new Error("the session that held the partition's lock is gone");
    const { replayThrough, server, ...place } = row;
    this.#taken.set(keyOf(hop, partition), { replayThrough: replayThrough ?? 0, server });
    return place.streamCreated === "" ? undefined : place;
  }

  /**
   * Stores places. @returns the partitions whose place was moved; another process has taken the others over, or the session is a new
   * one
   */
  async keep(places: readonly PartitionPlace[]): Promise<number[]> {
    const rows = await this.#sql<{ partition: number }[]>`
      update ${this.#table} as p
      set stream_created = m.stream_created, done = m.done, stored_at = m.stored_at, updated_at = now()
        ${this.#sqlIfHeld(
          // Dropped if the stream was recreated since.
          this
            .#sql`, replay_through = case when p.stream_created = m.stream_created then p.replay_through end`,
        )}
      from unnest(
        ${places.map(({ hop }) => hop)}::text[], ${places.map(({ partition }) => partition)}::int[],
        ${places.map(({ streamCreated }) => streamCreated)}::text[], ${places.map(({ done }) => done)}::bigint[],
        ${places.map(({ storedAtMs }) => storedAtMs)}::float8[]
      ) as m (hop, partition, stream_created, done, stored_at)
      where p.hop = m.hop and p.partition = m.partition and p.session = ${this.#session()}
      returning p.partition`;
    return rows.map(({ partition }) => partition);
  }

  /** A stream other than that of the place holds no handled messages. */
  async #through(hop: string, partition: number, streamCreated: string): Promise<number | undefined> {
    const held = await this.#readHeld?.(hop, partition);
    return held?.created === streamCreated ? held.last : undefined;
  }

  #sqlIfHeld(fragment: Fragment): Fragment {
    return this.#readHeld === undefined ? this.#sql`` : fragment;
  }

  /** After a restart the server may assign the same number again, at another time. */
  #session() {
    return this.#sql`(select pid || ' ' || backend_start from pg_stat_activity where pid = pg_backend_pid())`;
  }
}

function keyOf(hop: string, partition: number): string {
  return `${hop} ${partition}`;
}
