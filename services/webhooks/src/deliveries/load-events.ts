import type { Sql } from "#postgres";

export interface EventBody {
  readonly id: string;
  readonly body: string;
  /** Of the span that it is from; null: it was not traced. */
  readonly traceparent: string | null;
}

/** By sequence; those that were swept are not there. An event that many webhooks get is read once. */
export async function loadEvents(
  sql: Sql,
  sequences: Iterable<number>,
): Promise<ReadonlyMap<number, EventBody>> {
  const wanted = [...new Set(sequences)];
  if (wanted.length === 0) return new Map();
  const rows = await sql<(EventBody & { sequence: number })[]>`
    select e.sequence, e.id, e.body, e.traceparent
    from unnest(${wanted}::bigint[]) as wanted (sequence) join events e using (sequence)`;
  return new Map(rows.map(({ sequence, id, body, traceparent }) => [sequence, { id, body, traceparent }]));
}
