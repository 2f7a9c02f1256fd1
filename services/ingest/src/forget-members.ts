import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import type { Fragment, Sql, Store, Transaction } from "#postgres";
import { type Log, repeat } from "#runtime";
import { restAfter } from "./rest-after.ts";
import { sweepDeletedMemberbases } from "./sweep-deleted-memberbases.ts";

/** Nothing waits for it: every reader sees at once what this only tidies up. Two small queries when there is nothing. */
const INTERVAL_MS = 2_000;
const MEMBERS_PER_STEP = 100;

/**
 * How long after the last word of a purchase something may come of it: its record reaches the platform as late as a payment waits
 * for it, and then waits as long for a payment that comes last. A day more for what is under way.
 */
const MATCHED_WITHIN_MS = 2 * LIMITS.matchWindowMs + 24 * 60 * 60 * 1000;
/** How soon a member is looked at again that still has a pending cashback. */
const LOOKED_AT_AGAIN_DAYS = 1;

/**
 * Does in the background what the deletion of members and memberbases leaves, until the function that it returns is
 * called; that one waits for the step under way. Several processes may do it at the same time.
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

/** One round, with rests: half a million members are no hurry, and whoever ingests beside it is not to notice. */
export async function forgetMembers(store: Store, stop?: AbortSignal): Promise<void> {
  await inSteps(() => sweepDeletedMemberbases(store), stop);
  let last: DueMember | undefined;
  await inSteps(async () => {
    const due = await findDue(store, last);
    last = due.at(-1);
    await forget(store, due);
    return due.length;
  }, stop);
}

/** @param step says how much it did */
async function inSteps(step: () => Promise<number>, stop: AbortSignal | undefined): Promise<void> {
  while (!stop?.aborted) {
    const startedAt = performance.now();
    if ((await step()) === 0) return;
    await delay(restAfter(performance.now() - startedAt), undefined, { signal: stop }).catch(() => {});
  }
}

/** A deleted member that is due to be looked at. */
interface DueMember {
  readonly memberId: string;
  /** A timestamptz as text. */
  readonly dueAt: string;
  readonly hasLinks: boolean;
  /** Whether something may still come of its purchases: they may be matched, or a cashback is pending. */
  readonly isOpen: boolean;
}

/** @param last where the step before ended: while somebody holds a snapshot, each look would pass over all that was done */
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

/** Whether something may still come of the purchases of a deleted member `d`: they may be matched, or a cashback is pending. */
function isOpen(sql: Sql): Fragment {
  const since = sql`now() - ${MATCHED_WITHIN_MS}::float8 * interval '1 millisecond'`;
  return sql`(
    d.deleted_at > ${since}
    or exists (
      select from stamp_collections s
      where s.member_id = d.member_id and s.pending_redemptions <> '{}' offset 0
    )
    or exists (select from cashbacks c where c.member_id = d.member_id and c.state = 'pending' offset 0)
    -- What becomes of a purchase after the deletion is told to the platform, and looked at anew there.
    or exists (
      select from transactions t where t.member_id = d.member_id and t.updated_at > ${since} offset 0
    )
  )`;
}

/**
 * Removes these members' enrolments and clips, or puts those off of whose purchases something may still come. Their ids stay in
 * transactions, rejected events and cashbacks, where they lead nowhere (decision 46). A crash in between leaves the rest to the
 * next time.
 */
async function forget(store: Store, due: readonly DueMember[]): Promise<void> {
  const linked = due.filter(({ hasLinks }) => hasLinks);
  const later = idsOf(linked.filter(({ isOpen }) => isOpen));
  const final = idsOf(linked.filter(({ isOpen }) => !isOpen));
  if (later.length > 0) {
    await store`
      update deleted_members set due_at = greatest(
        deleted_at + ${MATCHED_WITHIN_MS}::float8 * interval '1 millisecond',
        now() + make_interval(days => ${LOOKED_AT_AGAIN_DAYS}::int)
      )
      where member_id = any(${later}::uuid[])`;
  }
  if (final.length > 0)
    await store.begin("isolation level read committed", (sql) => forgetLinked(sql, final));
  await dropNoted(store, idsOf(due.filter(({ hasLinks }) => !hasLinks)));
}

const idsOf = (members: readonly Pick<DueMember, "memberId">[]) => members.map(({ memberId }) => memberId);

/**
 * Collections by id, then clips by id, as rewards lock them; a trigger deletes stamps and redemptions. Under these locks nothing
 * comes of a purchase any more: so it is looked again who is final, with the eyes of a statement that sees what the locks waited
 * for. The others are left as they are, and found the next time.
 */
async function forgetLinked(sql: Transaction, memberIds: readonly string[]): Promise<void> {
  const locked = new Map<string, string[]>();
  for (const table of ["stamp_collections", "clips"]) {
    const rows = await sql<{ id: string }[]>`
      select id from ${sql(table)} where member_id = any(${memberIds}::uuid[]) order by id for update`;
    locked.set(
      table,
      rows.map(({ id }) => id),
    );
  }
  const final = idsOf(
    await sql<{ memberId: string }[]>`
      select member_id as "memberId" from deleted_members d
      where member_id = any(${memberIds}::uuid[]) and not ${isOpen(sql)}`,
  );
  for (const [table, ids] of locked) {
    await sql`
      delete from ${sql(table)} where id = any(${ids}::uuid[]) and member_id = any(${final}::uuid[])`;
  }
  await dropCashbacks(sql, final);
  await dropNoted(sql, final);
}

async function dropNoted(sql: Sql, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  await sql`delete from deleted_members where member_id = any(${memberIds}::uuid[])`;
}

/**
 * Deletes the cashbacks of redemptions whose transactions have left (decision 38). They were kept for the redemption that
 * showed them, and that went with its member.
 */
async function dropCashbacks(sql: Sql, memberIds: readonly string[]): Promise<void> {
  await sql`
    with chosen as materialized (
      select c.id from cashbacks c
      where c.member_id = any(${memberIds}::uuid[]) and c.redemption_id is not null and c.state <> 'pending'
        and not exists (
          select from transactions t
          where t.organisation_id = c.organisation_id and t.external_id = c.transaction_ref
        )
      order by c.id
      for update
    )
    delete from cashbacks using chosen where cashbacks.id = chosen.id`;
}
