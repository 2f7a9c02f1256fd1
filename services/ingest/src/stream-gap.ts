import type { StreamState } from "#nats";
import type { IngestPosition } from "./ingest-position.ts";
import { decodeUnreported, encodeOutcomes } from "./unreported.ts";

/** Why messages between a position and its stream are gone. */
export const GAPS = ["stream_shorter", "stream_remade", "stream_rewound"] as const;
export type Gap = (typeof GAPS)[number];

/**
 * The position in what a stream still has, and how many messages are gone that were not done.
 * @param hasGrown of a stream that was rewound: since then messages were stored that nobody has seen, from an unknown place on.
 * All that it holds is applied then, for the most part again
 */
export function adjust(
  row: IngestPosition,
  { created: streamCreated, first, last }: StreamState,
  gap: Gap,
  hasGrown = false,
): { position: IngestPosition; lost: number } {
  const entries = [...decodeUnreported(row.unreported)];
  const isUnknown = gap === "stream_remade" || hasGrown;
  const kept = isUnknown ? [] : entries.filter(([seq]) => seq >= first && seq <= last);
  const applied = isUnknown ? first - 1 : gap === "stream_rewound" ? last : Math.max(row.applied, first - 1);
  const unapplied = gap === "stream_shorter" ? applied - row.applied : 0;
  const unreported = `[${kept.map(([sequence, known]) => encodeOutcomes(sequence, known)).join(",")}]`;
  const published = Math.min(applied, ...kept.map(([sequence]) => sequence - 1));
  return {
    position: { applied, published, streamCreated, unreported, storedAtMs: null },
    lost: unapplied + entries.length - kept.length,
  };
}

/** Whether a stream is not what its position says. A new installation is doubtful too. */
export function isDoubtful(row: IngestPosition, state: StreamState): boolean {
  return row.streamCreated !== state.created || state.last < row.applied || firstNeeded(row) < state.first;
}

/** The oldest message that somebody must still see: the first that is not told of, else the next one to apply. */
export function firstNeeded({ applied, unreported }: IngestPosition): number {
  return Math.min(applied + 1, ...decodeUnreported(unreported).keys());
}
