import type { Gap, StreamState } from "#nats";
import type { IngestPosition } from "./ingest-position.ts";

/** The facts that show whether a position belongs to a stream. */
type Span = Pick<StreamState, "created" | "first" | "last">;

/** The consequences of a gap. */
export interface AdjustedPosition {
  /** The position, moved to what the stream still has. */
  readonly position: IngestPosition;
  /** How many unfinished messages are gone. */
  readonly lost: number;
  /** Messages after the old `applied` are gone, up to this one; null: to the old end of the stream. */
  readonly lostThrough: number | null;
}

/**
 * @param hasGrown whether a stream that was rewound has stored unread messages since, from an unknown place
 * on. If so, everything in it is applied, most of it for the second time
 */
export function adjust(
  row: IngestPosition,
  { created: streamCreated, first, last }: Span,
  gap: Gap,
  hasGrown = false,
): AdjustedPosition {
  const to = (applied: number, published: number) => ({
    applied,
    published,
    streamCreated,
    storedAtMs: null,
  });
  if (gap === "stream_remade" || hasGrown) {
    return { position: to(first - 1, first - 1), lost: row.applied - row.published, lostThrough: null };
  }
  if (gap === "stream_rewound") {
    // The place of the first unread message is unknown: events are stored while ingest waits for the stream.
    // So everything in it is applied, most of it for the second time.
    const lost = row.applied - Math.max(row.published, last);
    return { position: to(first - 1, first - 1), lost, lostThrough: null };
  }
  const position = to(Math.max(row.applied, first - 1), Math.max(row.published, first - 1));
  return { position, lost: first - 1 - row.published, lostThrough: first - 1 };
}

/** Whether a stream does not fit its position. This includes a new installation. */
export function isDoubtful(row: IngestPosition, state: Span): boolean {
  return row.streamCreated !== state.created || state.last < row.applied || isShorter(row, state);
}

/** Whether the oldest message that is still needed, the first unpublished one, is gone. */
export function isShorter({ published }: IngestPosition, { first }: Pick<Span, "first">): boolean {
  return published + 1 < first;
}
