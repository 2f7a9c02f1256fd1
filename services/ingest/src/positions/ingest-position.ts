import type { Fragment, Sql } from "#postgres";

/** The progress of a partition. Sequences are those of its stream. */
export interface IngestPosition {
  /** Everything up to here is applied to the tables … */
  readonly applied: number;
  /** … and up to here also published. */
  readonly published: number;
  /** When the stream was created, as it reports; empty: no stream was seen yet. */
  readonly streamCreated: string;
  /** When the stream stored the message `applied` (`StreamMessage.storedAtMs`); null: not known. */
  readonly storedAtMs: number | null;
}

/** A move of one partition's position by its owner. */
export interface PositionMove {
  readonly partition: number;
  readonly epoch: number;
  /** The owner's knowledge of `applied` before the move. */
  readonly from: number;
  readonly applied: number;
  readonly published: number;
  /** Of the message `applied`, as in `IngestPosition`. */
  readonly storedAtMs: number | null;
}

/**
 * Another process owns these partitions by now, or this process has moved them without knowing it. Nothing
 * was written.
 */
export class FencedError extends Error {
  readonly code = "fenced";
  readonly partitions: readonly number[];

  constructor(partitions: readonly number[]) {
    super(`partitions ${partitions.join(", ")} have another owner or another position`);
    this.name = "FencedError";
    this.partitions = partitions;
  }
}

/** A position at the moment of its partition's take-over. */
export interface TakenPosition extends IngestPosition {
  readonly epoch: number;
  /** Whether this is the first take-over since PostgreSQL was started, perhaps after a restore. */
  readonly isServerNew: boolean;
}

/**
 * Takes a partition over: from now on no batch of an earlier owner commits. Waits for a batch that is
 * committing right now.
 */
export async function takeOverPosition(sql: Sql, partition: number): Promise<TakenPosition> {
  const [row] = await sql<[TakenPosition]>`
    insert into ingest_positions as p (partition, epoch, applied, published, stream_created)
    values (${partition}, 1, 0, 0, '')
    on conflict (partition) do update set epoch = p.epoch + 1, updated_at = now()
    returning epoch, applied, published, stream_created as "streamCreated",
      case when stored_sequence = applied then stored_at end as "storedAtMs",
      server_started is distinct from pg_postmaster_start_time() as "isServerNew"`;
  return row;
}

/** The messages that ingest applies again after a start of PostgreSQL, which may be a restore. */
export interface Replay {
  /** The last message in the stream when the partition was first taken over in that server. */
  readonly through: number;
  /** When the stream stored the last message that had been applied by then; null: not known. */
  readonly sinceMs: number | null;
  /** Above all numbers that its messages have given (`ReplayedSettlings`). Null: its messages give none. */
  order: number | null;
}

/**
 * Notes the last message in the stream when a partition is first taken over in this server. After a restore
 * others wait until it is applied, and until then an unknown member may be a lost one. Later owners find the
 * note unchanged: an owner that ends in the middle of a replay leaves the rest to the next. A recreated
 * stream has other sequences.
 *
 * The messages settle in the order of the log only if the server is new: rewards does not use that order
 * before all of them are applied (`awaitIngest`). If a stream was recreated under a running server, rewards
 * may have seen a higher number than they would give.
 * @returns undefined for a new installation, where there is no earlier time
 */
export async function noteReplay(
  sql: Sql,
  {
    partition,
    epoch,
    isOther,
    replay,
  }: {
    readonly partition: number;
    readonly epoch: number;
    /** The stream differs from that of the position. */
    readonly isOther: boolean;
    /** Undefined: the partition has no earlier position. */
    readonly replay: Omit<Replay, "order"> | undefined;
  },
): Promise<Replay | undefined> {
  const [row] = await sql<{ through: number | null; sinceMs: number | null; order: number | null }[]>`
    update ingest_positions
    set replay_through = case
          when ${isOther} or server_started is distinct from pg_postmaster_start_time()
            then ${replay?.through ?? null}::bigint else replay_through
        end,
        replay_since = case
          when server_started is not distinct from pg_postmaster_start_time() then replay_since
          -- The server was started again in the middle of a replay: what is left of it is of the same lost time.
          when applied < replay_through and not ${isOther} then least(replay_since, ${replay?.sinceMs ?? null}::float8)
          else ${replay?.sinceMs ?? null}::float8
        end,
        replay_order = case
          when server_started is distinct from pg_postmaster_start_time() then coalesce(replay_order, 0)
          when not ${isOther} then replay_order
        end,
        server_started = pg_postmaster_start_time()
    where partition = ${partition} and epoch = ${epoch}
    returning replay_through as through, replay_since as "sinceMs", replay_order as order`;
  return row === undefined || row.through === null
    ? undefined
    : { through: row.through, sinceMs: row.sinceMs, order: row.order };
}

/**
 * Stores `Replay.order` of partitions, so that the next owner continues the replay with the numbers that this
 * owner would have given.
 */
export async function keepReplayOrders(
  sql: Sql,
  orders: readonly { readonly partition: number; readonly epoch: number; readonly order: number }[],
): Promise<void> {
  await sql`
    update ingest_positions as p
    set replay_order = kept.next
    from unnest(
      ${orders.map(({ partition }) => partition)}::int[], ${orders.map(({ epoch }) => epoch)}::bigint[],
      ${orders.map(({ order }) => order)}::bigint[]
    ) as kept (partition, epoch, next)
    where p.partition = kept.partition and p.epoch = kept.epoch`;
}

/** A reset position, and the loss that its stream showed. */
export interface PositionReset {
  readonly partition: number;
  readonly epoch: number;
  readonly from: IngestPosition;
  readonly to: IngestPosition;
  /** As in `AdjustedPosition`. */
  readonly lostThrough: number | null;
}

/**
 * Sets a partition to the first message that its stream still has, because the stream was replaced or has
 * lost messages. Stores the loss for `transaction.batch/get`. A new installation has lost nothing.
 * @throws FencedError if another process has taken the partition over since
 */
export async function resetPosition(
  sql: Sql,
  { partition, epoch, from, to, lostThrough }: PositionReset,
): Promise<void> {
  const rows = await sql`
    with reset as (
      update ingest_positions
      set applied = ${to.applied}, published = ${to.published}, stream_created = ${to.streamCreated},
          stored_sequence = null, stored_at = null, updated_at = now()
      where partition = ${partition} and epoch = ${epoch}
      returning partition, applied, published
    ),
    noted as (
      insert into ingest_gaps (partition, stream_created, applied, lost_through)
      select partition, ${from.streamCreated}::text, ${from.applied}::bigint, ${lostThrough}::bigint
      from reset where ${from.streamCreated}::text <> ''
    )
    select from reset`;
  if (rows.length === 0) throw new FencedError([partition]);
}

/**
 * Moves partitions, in the transaction that applies the messages in between (or in one of its own, if only
 * `published` has moved).
 * @throws FencedError naming the partitions whose row differs from the owner's knowledge; the caller must not
 * commit the transaction then
 */
export async function movePositions(sql: Sql, moves: readonly PositionMove[]): Promise<void> {
  if (moves.length === 0) return;
  const moved = (await moving(sql, moves)) as readonly { readonly partition: number }[];
  if (moved.length === moves.length) return;
  const done = new Set(moved.map(({ partition }) => partition));
  throw new FencedError(moves.map(({ partition }) => partition).filter((partition) => !done.has(partition)));
}

/** The same as a part of another statement: gives the partitions whose row equalled the owner's knowledge. */
export function moving(sql: Sql, moves: readonly PositionMove[]): Fragment {
  return sql`
    update ingest_positions as p
    set applied = m.applied, published = m.published, stored_sequence = m.applied, stored_at = m.stored_at,
        updated_at = now()
    from unnest(
      ${moves.map((move) => move.partition)}::int[], ${moves.map((move) => move.epoch)}::bigint[],
      ${moves.map((move) => move.from)}::bigint[], ${moves.map((move) => move.applied)}::bigint[],
      ${moves.map((move) => move.published)}::bigint[], ${moves.map((move) => move.storedAtMs)}::float8[]
    ) as m (partition, epoch, "from", applied, published, stored_at)
    where p.partition = m.partition and p.epoch = m.epoch and p.applied = m.from
    returning p.partition`;
}
