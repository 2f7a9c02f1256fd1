import { type EventResult, MEMBER_NOT_RESTORED, uuidTime } from "#domain";
import type { Sql } from "#postgres";
import { hasReadAgain, isReadAgain, type Mark, type MarkedMessages } from "../positions/ownership.ts";
import { eventAt, memberAt } from "./event-batch.ts";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";

/** The most by which the clocks of the edge (in its ids) and of NATS may differ. */
const CLOCKS_MS = 3_600_000;

/** A batch with messages that may be read again. */
export interface ReadAgain extends MarkedMessages {
  readonly prepared: PreparedBatch;
}

/**
 * The events, by `ord`, that may name a member whom a restore of the database has lost. Such an event is
 * rejected because the member does not exist; its message is read again; and the member's id is newer than
 * the last message that had been applied when the partition was first taken over in this server.
 */
function mayNameLostMember(
  { messages, marks, prepared }: ReadAgain,
  outcomes: readonly (EventResult | undefined)[],
): number[] {
  const starts = firstOrds(prepared.heads);
  return messages.flatMap((message, i) => {
    const mark = marks[i] as Mark;
    if (!isReadAgain(message, mark)) return [];
    const since = (mark.ownership.replay?.sinceMs ?? 0) - CLOCKS_MS;
    const ords = Array.from(
      { length: prepared.heads[i]?.events ?? 0 },
      (_, place) => (starts[i] as number) + place,
    );
    return ords.filter((ord) => {
      const outcome = outcomes[ord];
      if (outcome?.kind !== "rejected" || outcome.rejection.reason !== "not_found") return false;
      const memberId = memberAt(prepared.events, ord);
      return memberId !== null && uuidTime(memberId) >= since;
    });
  });
}

/**
 * Keeps events of members that a restored database lacks, until the integrator has made those members again,
 * and reports that in their outcomes. The database knows members that were deleted lately and members of
 * other organisations, and their events are rejected as usual. A member whose note has expired, and an id
 * that never existed, look like a lost member: their events are kept as well, and are deleted after 30 days.
 *
 * The rows are part of the batch's transaction. Dead letters would not do: their stream drops its oldest when
 * it is full, and a crash would add them twice. A second restore takes these rows back, too, and their
 * messages come again.
 * @param sql the batch's transaction
 */
export async function keepLostMembers(
  sql: Sql,
  batch: ReadAgain,
  outcomes: readonly (EventResult | undefined)[],
): Promise<readonly (EventResult | undefined)[]> {
  const ords = hasReadAgain(batch) ? mayNameLostMember(batch, outcomes) : [];
  if (ords.length === 0) return outcomes;
  const { events } = batch.prepared;
  const memberIds = new Set(ords.map((ord) => memberAt(events, ord) as string));
  const lost = await sql<{ id: string }[]>`
    select id from unnest(${[...memberIds]}::uuid[]) as named (id)
    where not exists (select from members m where m.id = named.id)
      and not exists (select from deleted_members d where d.member_id = named.id)`;
  const isLost = new Set(lost.map(({ id }) => id));
  const kept = ords.filter((ord) => isLost.has(memberAt(events, ord) as string));
  if (kept.length === 0) return outcomes;
  const rows = kept.map((ord) => {
    const event = eventAt(events, ord);
    return { o: event.organisationId, m: event.memberId, e: event.externalId, row: JSON.stringify(event) };
  });
  await sql`
    insert into replay_rejections (organisation_id, member_id, external_id, event)
    select o, m, e, "row"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (o uuid, m uuid, e text, "row" text)`;
  const isKept = new Set(kept);
  return outcomes.map((outcome, ord) => (isKept.has(ord) ? MEMBER_NOT_RESTORED : outcome));
}
