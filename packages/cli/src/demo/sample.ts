import type { TransactionEvent } from "#contract";

/** A transaction event whose member is named by `ref`: ids differ from installation to installation. */
export type SampleEvent = Omit<TransactionEvent, "member_id"> & { readonly ref: string };

/** Events for one request that must be refused as a whole because one of them is malformed. */
export interface MalformedRequest {
  /** What is wrong, in words. */
  readonly malformed: string;
  /** JSON pointer into the request body that the answer must name. */
  readonly path: string;
  readonly events: readonly (Partial<SampleEvent> & { readonly external_id: string })[];
}

export type SampleEntry = SampleEvent | MalformedRequest;

export interface Sample {
  /** The members that exist. An event may name another ref: that member does not. */
  readonly refs: readonly string[];
  /** In the order in which they happen. */
  readonly entries: readonly SampleEntry[];
}

export function isMalformed(entry: SampleEntry): entry is MalformedRequest {
  return "malformed" in entry;
}

/** Events in the sample, those of malformed requests included. */
export function countEvents(entries: readonly SampleEntry[]): number {
  return entries.reduce((sum, entry) => sum + (isMalformed(entry) ? entry.events.length : 1), 0);
}
