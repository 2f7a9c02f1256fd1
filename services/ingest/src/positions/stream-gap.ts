import type { Gap, StreamState } from "#nats";
import type { IngestPosition } from "./ingest-position.ts";

/** The facts by which a position is recognised as belonging to a stream. */
type Span = Pick<StreamState, "created" | "first" | "last">;

/** The consequences of a gap. */
export interface AdjustedPosition {
  /** The position in what the stream still has. */
  readonly position: IngestPosition;
  /** How many messages are gone that were not done. */
  readonly lost: number;
  /** Which messages behind the old `applied` are gone: up to this one; null: to the end of the stream as it was. */
  readonly lostThrough: number | null;
}

/**
 * @param hasGrown of a stream that was rewound: since then unread messages were stored, from an unknown place on.
 * All that it holds is applied then, for the most part again
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
    // It is unknown from which place on it holds unread messages: events are stored while ingest waits for
    // it. So all that it holds is applied, for the most part again.
    const lost = row.applied - Math.max(row.published, last);
    return { position: to(first - 1, first - 1), lost, lostThrough: null };
  }
  const position = to(Math.max(row.applied, first - 1), Math.max(row.published, first - 1));
  return { position, lost: first - 1 - row.published, lostThrough: first - 1 };
}

/** Whether a stream is not what its position says. A new installation is doubtful too. */
export function isDoubtful(row: IngestPosition, state: Span): boolean {
  return row.streamCreated !== state.created || state.last < row.applied || isShorter(row, state);
}

/** Whether the oldest message that is still needed is gone: the first that is not published. */
export function isShorter({ published }: IngestPosition, { first }: Pick<Span, "first">): boolean {
  return published + 1 < first;
}
