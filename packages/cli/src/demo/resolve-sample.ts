import type { TransactionEvent } from "#contract";
import { encodeId } from "#domain";
import { isMalformed, type MalformedRequest, type Sample, type SampleEvent } from "./sample.ts";

/** One run of the demo: its own external_ids, so that it makes transactions of its own. */
export interface Run {
  /** Time-sortable like the ids that follow it, so that key order stays the order of arrival from run to run. */
  readonly externalIdPrefix: string;
  /**
   * Makes the codes its own too. The same card at the same shop with the same code is paid for in every run, and a
   * payment must not meet the purchase of another run.
   */
  readonly authCodeSuffix: string;
  /** Member ids by ref. */
  readonly memberIds: ReadonlyMap<string, string>;
}

export type ResolvedEntry =
  | { readonly kind: "event"; readonly event: TransactionEvent }
  | {
      readonly kind: "malformed";
      readonly malformed: string;
      readonly path: string;
      /** Not all of them are what the type says: that is the point. */
      readonly events: readonly TransactionEvent[];
    };

/** The entries of the sample as this run sends them. */
export function resolveSample(sample: Sample, run: Run): ResolvedEntry[] {
  return sample.entries.map((entry) =>
    isMalformed(entry)
      ? { ...entry, kind: "malformed", events: entry.events.map((event) => resolve(event, run)) }
      : { kind: "event", event: resolve(entry, run) },
  );
}

function resolve(event: SampleEvent | MalformedRequest["events"][number], run: Run): TransactionEvent {
  const { ref, external_id, auth_code, ...rest } = event;
  const member = ref === undefined ? {} : { member_id: run.memberIds.get(ref) ?? NOBODY };
  const code = auth_code === undefined ? {} : { auth_code: auth_code + run.authCodeSuffix };
  return { ...member, external_id: run.externalIdPrefix + external_id, ...code, ...rest } as TransactionEvent;
}

/** A well-formed id that no member has: ids are made of the time, and this one is from 1970. */
const NOBODY = encodeId("m", "00000000-0000-7000-8000-000000000000");
