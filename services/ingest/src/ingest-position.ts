import type { Fragment, Sql } from "#postgres";

/** How far a partition is done. Sequences are those of its stream. */
export interface IngestPosition {
  readonly applied: number;
  readonly published: number;
  /** When the stream was made, as it says; empty: no stream was seen yet. */
  readonly streamCreated: string;
  /** JSON of what is applied and not yet reported and published. */
  readonly unreported: string;
  /** When the stream stored the message `applied` (`StreamMessage.storedAtMs`); null: not known. */
  readonly storedAtMs: number | null;
}

/** A move of one partition by its owner. */
export interface PositionMove {
  readonly partition: number;
  readonly epoch: number;
  /** Where the owner knows `applied` to be. */
  readonly from: number;
  readonly applied: number;
  readonly published: number;
  readonly unreported: string;
  /** Of the message `applied`, as in `IngestPosition`. */
  readonly storedAtMs: number | null;
}

/** Somebody else owns these partitions by now, or this process has moved them without knowing. Nothing was written. */
export class FencedError extends Error {
  readonly code = "fenced";
  readonly partitions: readonly number[];

  constructor(partitions: readonly number[]) {
    super(`partitions ${partitions.join(", ")} have another owner or another position`);
    this.name = "FencedError";
    this.partitions = partitions;
  }
}

/**
 * Takes a partition over: from now on no batch of an earlier owner commits, and one that is committing now is waited for.
 */
export async function takeOverPosition(
  sql: Sql,
  partition: number,
): Promise<IngestPosition & { readonly epoch: number }> {
  const [row] = await sql<[IngestPosition & { epoch: number }]>`
    insert into ingest_positions as p (partition, epoch, applied, published, stream_created)
    values (${partition}, 1, 0, 0, '')
    on conflict (partition) do update set epoch = p.epoch + 1, updated_at = now()
    returning epoch, applied, published, stream_created as "streamCreated", unreported,
      case when stored_sequence = applied then stored_at end as "storedAtMs"`;
  return row;
}

/**
 * Sets a partition to what its stream still has, because that is another one than before, or has lost messages.
 * @throws FencedError when somebody else has taken it over since
 */
export async function resetPosition(
  sql: Sql,
  partition: number,
  epoch: number,
  to: IngestPosition,
): Promise<void> {
  const rows = await sql`
    update ingest_positions
    set applied = ${to.applied}, published = ${to.published}, stream_created = ${to.streamCreated},
        unreported = ${to.unreported}, stored_sequence = ${to.applied}, stored_at = ${to.storedAtMs}::float8,
        updated_at = now()
    where partition = ${partition} and epoch = ${epoch}
    returning 1`;
  if (rows.length === 0) throw new FencedError([partition]);
}

/**
 * Moves partitions on, in the transaction that applies what is in between (or in one of its own, where only what is
 * published has moved).
 * @throws FencedError naming those whose row is not as the owner knows it; the transaction must not be committed then
 */
export async function movePositions(sql: Sql, moves: readonly PositionMove[]): Promise<void> {
  if (moves.length === 0) return;
  const moved = (await moving(sql, moves)) as readonly { readonly partition: number }[];
  if (moved.length === moves.length) return;
  const done = new Set(moved.map(({ partition }) => partition));
  throw new FencedError(moves.map(({ partition }) => partition).filter((partition) => !done.has(partition)));
}

/** The statement that moves partitions, for it to stand in another: gives those whose row was as the owner knows it. */
export function moving(sql: Sql, moves: readonly PositionMove[]): Fragment {
  return sql`
    update ingest_positions as p
    set applied = m.applied, published = m.published, unreported = m.unreported,
        stored_sequence = m.applied, stored_at = m.stored_at, updated_at = now()
    from unnest(
      ${moves.map((move) => move.partition)}::int[], ${moves.map((move) => move.epoch)}::bigint[],
      ${moves.map((move) => move.from)}::bigint[], ${moves.map((move) => move.applied)}::bigint[],
      ${moves.map((move) => move.published)}::bigint[], ${moves.map((move) => move.unreported)}::text[],
      ${moves.map((move) => move.storedAtMs)}::float8[]
    ) as m (partition, epoch, "from", applied, published, unreported, stored_at)
    where p.partition = m.partition and p.epoch = m.epoch and p.applied = m.from
    returning p.partition`;
}
