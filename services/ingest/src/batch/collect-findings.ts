import type { EventResult, IgnoredField, Rejection } from "#domain";
import { eventAt } from "./event-batch.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

/** An event with a rejection or ignored fields to store. */
interface Kept {
  readonly organisationId: string;
  readonly externalId: string;
  /**
   * The request, and the event's place in it; null: the event was put back from the dead letters and belongs
   * to no request.
   */
  readonly batchId: string | null;
  readonly index: number | null;
}

/** A rejected event, as stored. */
export interface KeptRejection extends Kept {
  /** The id in the event, whether that member exists or not; null: not an id of ours. */
  readonly memberId: string | null;
  readonly rejection: Rejection;
  /** If its caller waits for the answer, webhooks do not report it. */
  readonly awaited: boolean;
}

/** An event of which some fields were ignored. */
export interface KeptIgnored extends Kept {
  readonly fields: readonly IgnoredField[];
}

/**
 * The rejections and ignored fields of a batch, in the order of the events. They are stored in tables of
 * their own.
 */
export interface Findings {
  readonly rejected: readonly KeptRejection[];
  readonly ignored: readonly KeptIgnored[];
}

const NONE: Findings = { rejected: [], ignored: [] };

/** Usually there are none: then this only checks each outcome once. */
export function collectFindings(
  prepared: PreparedBatch,
  outcomes: readonly (EventResult | undefined)[],
): Findings {
  if (!outcomes.some(isFinding)) return NONE;
  const rejected: KeptRejection[] = [];
  const ignored: KeptIgnored[] = [];
  const add = (ord: number, batchId: string | null, awaited: boolean) => {
    const outcome = outcomes[ord];
    if (!isFinding(outcome)) return;
    const { organisationId, externalId, memberId } = eventAt(prepared.events, ord);
    const index = batchId === null ? null : (prepared.indexes[ord] as number);
    const kept = { organisationId, externalId, batchId, index };
    if (outcome.kind === "rejected")
      rejected.push({ ...kept, memberId, rejection: outcome.rejection, awaited });
    else ignored.push({ ...kept, fields: outcome.ignored });
  };
  let ord = 0;
  for (const head of prepared.heads) {
    if (head === undefined) continue;
    const end = ord + head.events;
    for (const { batch, events, awaited } of head.parts) {
      for (const last = ord + events; ord < last; ord++) add(ord, batch, awaited);
    }
    for (; ord < end; ord++) add(ord, null, true);
  }
  return { rejected, ignored };
}

function isFinding(outcome: EventResult | undefined): outcome is EventResult {
  return outcome !== undefined && (outcome.kind === "rejected" || outcome.ignored.length > 0);
}
