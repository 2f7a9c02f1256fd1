import { constantText, type Sql } from "#postgres";
import { reachableMember } from "#publisher-db";
import { moving, type PositionMove } from "../positions/ingest-position.ts";
import { type AppliedBatch, everyOrd, withLinks } from "./apply-events.ts";
import type { Findings } from "./collect-findings.ts";
import { type DecidedBatch, decideByLooking, decideEvents, keysAmong } from "./decide-events.ts";
import { type EventBatch, eventAt } from "./event-batch.ts";
import { keeping } from "./keep-findings.ts";
import { columnOf, NAMES, RECORD, updating, VALUES, writeRows } from "./write-transactions.ts";

/**
 * Decides a small batch, with one look-up or with none. It needs none if all keys are known to be new and no
 * two events of the batch contradict each other: it then assumes that the members exist, and `writeAtOnce`
 * fails if they do not.
 *
 * The rows that were read are not locked. If another process applies events of these keys, it must have moved
 * their partition, and then `writeAtOnce` fails, too.
 * @param isNew whether it is certain that nothing is stored under an event's key
 * @param looksFirst looks the members up in any case
 */
export async function decideAtOnce(
  sql: Sql,
  batch: EventBatch,
  isNew: (ord: number) => boolean,
  looksFirst: boolean,
): Promise<DecidedBatch> {
  const ords = everyOrd(batch);
  const looked = keysAmong(batch, ords).filter((ord) => !isNew(ord));
  if (looked.length === 0 && !looksFirst) {
    const decided = decideEvents(batch, ords);
    // A refused event writes no row, so that `writeAtOnce` would not find out if it was refused on a false
    // state.
    if (!decided.outcomes.some((outcome) => outcome?.kind === "rejected")) return decided;
  }
  return (await decideByLooking(sql, batch, ords, looked, "looked at")).decided;
}

const MEMBER = constantText(
  `m.id = ${columnOf("member_id")} and m.organisation_id = ${columnOf("organisation_id")}`,
);

/**
 * Writes a small batch and moves its partitions in one statement, which needs no other database transaction.
 * With `begin`, a copy and `commit`, the round trips of a batch of three events cost ten times as much as its
 * rows.
 *
 * The statement commits only if the state it was decided on still holds: the partitions are where this
 * process left them, the members of new rows exist, the new rows did not, and the changed rows still do. The
 * writing statement itself looks the members up again: whoever deletes a member or makes a link waits only
 * for the statements that may not have seen the change (`findOpenWriters`).
 *
 * Race considered: the member of a changed row is deleted after the look-up. The row may have earned
 * something through an enrolment or a clip of that member, which only the member's row would tell: so a
 * member who is gone counts as linked.
 * @param findings the batch's rejections and ignored fields, to be stored
 * @throws if the state does not hold: an error that `refusalOfData` recognises, a division by zero (a
 * statement has no other way to fail on a condition), or a violation of the primary key; nothing is written
 * then
 */
export async function writeAtOnce(
  sql: Sql,
  batch: EventBatch,
  decided: DecidedBatch,
  moves: readonly PositionMove[],
  findings: Findings = { rejected: [], ignored: [] },
): Promise<AppliedBatch> {
  const created = [
    ...decided.plain.map((ord) => eventAt(batch, ord)),
    ...decided.created.map(({ transaction }) => transaction),
  ];
  const written = [...created, ...decided.updated.map(({ transaction }) => transaction)];
  const memberIds = new Set(written.flatMap(({ memberId }) => memberId ?? []));
  const [{ linked }] = await sql<[{ linked: string[] }]>`
    with ${keeping(sql, findings)}
    moved as (${moving(sql, moves)}),
    created as (
      insert into transactions (${NAMES(sql)})
      select ${VALUES(sql)}
      from json_to_recordset(${writeRows(created)}::text::json) as i (${RECORD(sql)})
      cross join lateral (
        select from members m where ${MEMBER(sql)} and ${reachableMember(sql)} offset 0
      ) as there
      returning 1
    ),
    updated as (${updating(sql, decided.updated)})
    select
      1 / (
        (select count(*) from moved) = ${moves.length}
        and (select count(*) from created) = ${created.length}
        and (select count(*) from updated where was_there) = ${decided.updated.length}
      )::int as holds,
      array(
        select named.id from unnest(${[...memberIds]}::uuid[]) as named (id)
        left join lateral (select m.linked from members m where m.id = named.id offset 0) as m on true
        where coalesce(m.linked, true)
      ) as linked
  `;
  const linkedMembers = new Set(linked);
  return withLinks(sql, batch, decided, (ord) =>
    linkedMembers.has(batch.members[batch.memberOf[ord] as number] as string),
  );
}
