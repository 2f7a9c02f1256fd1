import { PARTITION_LOCKS } from "./partition-locks.ts";
import type { Identifier } from "./statement.ts";
import type { Sql } from "./store.ts";

/** How far a partition of a hop is done. */
export interface StreamPlace {
  /** Which stream `done` is of: when it was made, as NATS says. */
  readonly streamCreated: string;
  /** Everything up to this sequence is done. */
  readonly done: number;
  /** When the stream stored that message, in milliseconds since 1970; null: not known. */
  readonly storedAtMs: number | null;
}

interface PartitionPlace extends StreamPlace {
  readonly hop: string;
  readonly partition: number;
}

/**
 * Keeps in the table `stream_places` how far the readers of unordered hops are, beside the work that they have done.
 *
 * A place is written after that work was committed, and says of it that it is there. So it must go to the very database that
 * has it: after a restore, or where a standby was promoted, a process that goes on would otherwise say so of a database which
 * lacks its last second. The session that holds the locks of the partitions ends with its server, so all statements go over
 * that one, and one that took nothing over moves nothing.
 */
export class StreamPlaces {
  readonly #sql: Sql;
  readonly #table: Identifier;
  readonly #lock: number;
  readonly #assertReady: () => Promise<void>;

  /**
   * @param options.sql over the one session that holds the locks of the partitions
   * @param options.table with its schema, where that is another than `public`
   * @param options.assertReady throws while a database whose server was started since must not be read on in. Left out: it may
   */
  constructor(options: {
    readonly sql: Sql;
    readonly service: keyof typeof PARTITION_LOCKS;
    readonly table?: string;
    readonly assertReady?: () => Promise<void>;
  }) {
    this.#sql = options.sql;
    this.#table = options.sql(options.table ?? "stream_places");
    this.#lock = PARTITION_LOCKS[options.service].partition;
    this.#assertReady = options.assertReady ?? (async () => {});
  }

  /**
   * From then on no earlier owner moves the place.
   * @throws when this session does not hold the partition's lock, or the database is not ready
   */
  async takeOver(hop: string, partition: number): Promise<StreamPlace | undefined> {
    const [{ isNew }] = await this.#sql<[{ isNew: boolean }]>`
      select exists (
        select from ${this.#table}
        where hop = ${hop} and partition = ${partition} and server_started <> pg_postmaster_start_time()
      ) as "isNew"`;
    if (isNew) await this.#assertReady();
    const [place] = await this.#sql<StreamPlace[]>`
      insert into ${this.#table} as p (hop, partition, session)
      select ${hop}, ${partition}, ${this.#session()}
      where exists (
        select from pg_locks
        where locktype = 'advisory' and objsubid = 2 and classid::bigint = ${this.#lock}::bigint
          and objid::bigint = ${partition}::bigint and pid = pg_backend_pid() and granted
      )
      on conflict (hop, partition) do update set session = excluded.session, server_started = excluded.server_started
      returning stream_created as "streamCreated", done, stored_at as "storedAtMs"`;
    if (place === undefined) throw new Error("the session that held the partition's lock is gone");
    return place.streamCreated === "" ? undefined : place;
  }

  /** @returns the partitions whose place was moved; the others were taken over by somebody else, or the session is another */
  async keep(places: readonly PartitionPlace[]): Promise<number[]> {
    const rows = await this.#sql<{ partition: number }[]>`
      update ${this.#table} as p
      set stream_created = m.stream_created, done = m.done, stored_at = m.stored_at, updated_at = now()
      from unnest(
        ${places.map(({ hop }) => hop)}::text[], ${places.map(({ partition }) => partition)}::int[],
        ${places.map(({ streamCreated }) => streamCreated)}::text[], ${places.map(({ done }) => done)}::bigint[],
        ${places.map(({ storedAtMs }) => storedAtMs)}::float8[]
      ) as m (hop, partition, stream_created, done, stored_at)
      where p.hop = m.hop and p.partition = m.partition and p.session = ${this.#session()}
      returning p.partition`;
    return rows.map(({ partition }) => partition);
  }

  /** A server that was started anew may give a session the same number, at another time. */
  #session() {
    return this.#sql`(select pid || ' ' || backend_start from pg_stat_activity where pid = pg_backend_pid())`;
  }
}
