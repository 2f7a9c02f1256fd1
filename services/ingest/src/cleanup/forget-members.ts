import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import { NIL_UUID } from "#domain";
import type { Fragment, Sql, Store, Transaction } from "#postgres";
import { type Log, repeat } from "#runtime";
import { restAfter } from "./rest-after.ts";
import { type MemberbasePlace, sweepDeletedMemberbases } from "./sweep-deleted-memberbases.ts";

/**
 * Nothing waits for this work: every reader ignores deleted members from the start. An idle round costs two
 * small queries, and one more for each 5,000 deleted memberbases.
 */
const INTERVAL_MS = 2_000;
const MEMBERS_PER_STEP = 100;

/**
 * How long after its last change a purchase may still earn something. Its record may reach the platform as
 * late as a payment waits for it, and then waits as long for a payment that comes last. One day more covers
 * messages under way.
 */
const MATCHED_WITHIN_MS = 2 * LIMITS.matchWindowMs + 24 * 60 * 60 * 1000;
/** How soon the member's next turn comes if they still have a pending cashback or could not be forgotten. */
const LOOKED_AT_AGAIN_DAYS = 1;

/**
 * Completes the deletion of members and memberbases in the background, until the caller calls the returned
 * function, which waits for the step under way. Several processes may do this at the same time.
 */
export function startForgetting(store: Store, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "deleted members",
    everyMs: INTERVAL_MS,
    work: (signal) => forgetMembers(store, signal),
    failed: "deleted members are not forgotten yet",
    log,
  });
  return stop;
}

/** One round, with rests: half a million members are not urgent, and must not slow ingestion down. */
export async function forgetMembers(store: Store, stop?: AbortSignal): Promise<void> {
  const place: MemberbasePlace = { next: NIL_UUID };
  await inSteps(async () => {
    if (place.next === undefined) return 0;
    await sweepDeletedMemberbases(store, place);
    return 1;
  }, stop);
  let last: DueMember | undefined;
  const faults: unknown[] = [];
  await inSteps(async () => {
    const due = await findDue(store, last);
    last = due.at(-1);
    faults.push(...(await forget(store, due)));
    return due.length;
  }, stop);
  if (faults.length > 0) throw faults[0];
}

/** @param step returns how much it did */
async function inSteps(step: () => Promise<number>, stop: AbortSignal | undefined): Promise<void> {
  while (!stop?.aborted) {
    const startedAt = performance.now();
    if ((await step()) === 0) return;
    await delay(restAfter(performance.now() - startedAt), undefined, { signal: stop }).catch(() => {});
  }
}

/** A deleted member whose turn has come. */
interface DueMember {
  readonly memberId: string;
  /** A timestamptz as text. */
  readonly dueAt: string;
  readonly hasLinks: boolean;
  /** Whether their purchases may still earn something: they may be matched, or a cashback is pending. */
  readonly isOpen: boolean;
}

/**
 * @param last where the previous step ended: while a session holds an old snapshot, each query would have to
 * pass over everything already done
 */
async function findDue(sql: Sql, last: DueMember | undefined): Promise<readonly DueMember[]> {
  const behind =
    last === undefined
      ? sql``
      : sql`and (due_at, member_id) > (${last.dueAt}::text::timestamptz, ${last.memberId}::uuid)`;
  return sql<DueMember[]>`
    select member_id as "memberId", due_at::text as "dueAt",
           exists (select from stamp_collections s where s.member_id = d.member_id offset 0)
             or exists (select from clips where clips.member_id = d.member_id offset 0) as "hasLinks",
           ${isOpen(sql)} as "isOpen"
    from deleted_members d
    where due_at <= now() ${behind}
    order by due_at, member_id
    limit ${MEMBERS_PER_STEP}`;
}

/**
 * Whether the purchases of a deleted member `d` may still earn something: they may be matched, or a cashback
 * is pending. Each part uses an index with few rows, because a member may have any number of purchases and
 * cashbacks.
 */
function isOpen(sql: Sql): Fragment {
  const since = sql`now() - ${MATCHED_WITHIN_MS}::float8 * interval '1 millisecond'`;
  return sql`(
    -- Changes of a purchase after the deletion are sent to the platform, which judges it again.
    d.changed_at > ${since}
    or exists (
      select from stamp_collections s
      where s.member_id = d.member_id and s.pending_redemptions <> '{}' offset 0
    )
    or exists (
      select from cashbacks c
      where c.member_id = d.member_id and c.clip_id is not null and c.cleared_at is null and c.reverted_at is null offset 0
    )
  )`;
}

/**
 * Removes the enrolments and clips of these members, or postpones members whose purchases may still earn
 * something. The ids of the members stay in transactions, rejected events and cashbacks, where they lead
 * nowhere (decision 46). After a crash in between, the next round does the rest.
 * @returns the failures. A member that could not be forgotten is postponed, too, and does not hold up the
 * others
 */
async function forget(store: Store, due: readonly DueMember[]): Promise<readonly unknown[]> {
  const linked = due.filter(({ hasLinks }) => hasLinks);
  const later = idsOf(linked.filter(({ isOpen }) => isOpen));
  const faults: unknown[] = [];
  for (const memberId of idsOf(linked.filter(({ isOpen }) => !isOpen))) {
    try {
      await store.begin("isolation level read committed", (sql) => forgetLinked(sql, memberId));
    } catch (error) {
      faults.push(error);
      later.push(memberId);
    }
  }
  if (later.length > 0) {
    await store`
      update deleted_members set due_at = greatest(
        changed_at + ${MATCHED_WITHIN_MS}::float8 * interval '1 millisecond',
        now() + make_interval(days => ${LOOKED_AT_AGAIN_DAYS}::int)
      )
      where member_id = any(${later}::uuid[])`;
  }
  await dropNoted(store, idsOf(due.filter(({ hasLinks }) => !hasLinks)));
  return faults;
}

const idsOf = (members: readonly Pick<DueMember, "memberId">[]) => members.map(({ memberId }) => memberId);

/**
 * Locks collections by id, then clips by id, like rewards; a trigger deletes stamps and redemptions. Under
 * these locks no purchase earns anything any more. So it checks again whether the member is final, in a new
 * statement, which sees the changes that the locks waited for and waits for a session that notes a change
 * right now. If the member is not final, nothing is removed, and a later round finds the member again.
 */
async function forgetLinked(sql: Transaction, memberId: string): Promise<void> {
  for (const table of ["stamp_collections", "clips"])
    await sql`select from ${sql(table)} where member_id = ${memberId} order by id for update`;
  const final = await sql`
    select from deleted_members d where member_id = ${memberId} and not ${isOpen(sql)} for update of d`;
  if (final.length === 0) return;
  // No new ones can appear: the member is gone.
  for (const table of ["stamp_collections", "clips"])
    await sql`delete from ${sql(table)} where member_id = ${memberId}`;
  await dropCashbacks(sql, memberId);
  await dropNoted(sql, [memberId]);
}

async function dropNoted(sql: Sql, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  await sql`delete from deleted_members where member_id = any(${memberIds}::uuid[])`;
}

/**
 * Deletes the cashbacks of redemptions whose transactions were removed (decision 38). They were kept for the
 * redemption that showed them, and it went with its member.
 */
async function dropCashbacks(sql: Sql, memberId: string): Promise<void> {
  await sql`
    with chosen as materialized (
      select c.id from cashbacks c
      where c.member_id = ${memberId} and c.redemption_id is not null and c.state <> 'pending'
        and not exists (
          select from transactions t
          where t.organisation_id = c.organisation_id and t.external_id = c.transaction_ref
        )
      order by c.id
      for update
    )
    delete from cashbacks using chosen where cashbacks.id = chosen.id`;
}
