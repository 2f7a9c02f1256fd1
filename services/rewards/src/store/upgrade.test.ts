import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { closeStore, connectStore, migrateSet, migrationsDirectory, type Store } from "#postgres";
import { migratePublisher, verifyRewards } from "#publisher-db";
import { type TestMember, testServers } from "#test-support";
import {
  contextAt,
  dealOf,
  ingest,
  purchase,
  type TestOutcome,
  testMembers,
  writeOutcomes,
  writeSettlements,
} from "./test-batch.ts";
import { withOpenTransactions } from "./transactions.ts";

/**
 * A database of the version before 0006, with everything that rewards could have left in it: redemptions that
 * wait for an amount, pending cashbacks, redeemed clips, and a cashback whose member is gone. The test
 * migrates it; then everything settles and continues, and every message comes twice.
 */

const LAST_BEFORE = "0005";
/** This many days ago: the events of such rows are not kept any more, so none are missing. */
const OLD_DAYS = 31;
const REFUND = { type: "refund" } as const;
const FIXED = { type: "fixed-reward", amount: 300 } as const;

let store: Store;
let url: string;
let member: TestMember;

t.before(async () => {
  url = await (await testServers()).emptyDatabaseUrl();
  const directory = mkdtempSync(join(tmpdir(), "migrations-before-"));
  const source = migrationsDirectory("publisher-db");
  for (const name of readdirSync(source)) {
    if (name.slice(0, LAST_BEFORE.length) <= LAST_BEFORE) cpSync(join(source, name), join(directory, name));
  }
  await migrateSet({ directory, lock: "migrate" }, url, () => {});
  rmSync(directory, { recursive: true });
  store = connectStore({ url, max: 4, applicationName: "test" });
  t.teardown(() => closeStore(store));
  [member] = (await testMembers(store, 1)) as [TestMember];
});

interface OldCard {
  readonly id: string;
  readonly program: string;
  /** The transactions of its stamps, the oldest first. */
  readonly ids: readonly string[];
}

async function oldProgram(reward: object): Promise<string> {
  const id = uuidv7();
  await store`
    insert into loyalty_programs (revision, id, created_at, updated_at, qualifying_threshold, name, reward_config,
                                  display_content)
    values (1, ${id}, now(), now(), 2, 'Coffee', ${JSON.stringify(reward)}::text::jsonb, '{}')`;
  return id;
}

async function oldTransaction(amount: number | null = 1000): Promise<string> {
  const id = uuidv7();
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6, amount, currency)
    values ('2026-04-01T10:00:00Z', ${member.organisationId}, ${id}, ${member.memberId}, ${refOf(id)}, 'authorized',
            'visa', 'm', decode(repeat('06', 32), 'hex'), ${amount}, 'EUR')`;
  return id;
}

const refOf = (id: string): string => `ref ${id}`;

/** A card with a stamp of a purchase of each amount. @param waiting the threshold that had been reached without an amount */
async function oldCard(reward: object, amounts: readonly (number | null)[], waiting: number | null = null) {
  const card = { id: uuidv7(), program: await oldProgram(reward) };
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, next_position,
                                   unredeemed_purchases, waiting_threshold, created_at)
    values (${card.id}, ${member.organisationId}, ${member.memberId}, ${card.program}, ${amounts.length + 1},
            ${amounts.length}, ${waiting}, '2026-01-01T00:00:00Z')`;
  const ids: string[] = [];
  for (const [at, amount] of amounts.entries()) {
    const id = await oldTransaction(amount);
    ids.push(id);
    await store`
      insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                        transaction_ref)
      values (${at + 1}, now() - ${OLD_DAYS} * interval '1 day', ${uuidv7()}, ${member.organisationId}, ${card.id}, ${id},
              ${refOf(id)})`;
  }
  return { ...card, ids } satisfies OldCard;
}

/** Redeems all its stamps for 300, like the previous version: the cashback waits for the last one. */
async function oldRedemption({ id, program, ids }: OldCard): Promise<void> {
  const redemption = uuidv7();
  const last = ids.at(-1) as string;
  await store`
    with held as (
      update qualifying_purchases set redemption_id = ${redemption} where stamp_collection_id = ${id}
      returning id, position
    )
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select now() - ${OLD_DAYS} * interval '1 day', ${redemption}, ${member.organisationId}, ${id}, ${last},
           array_agg(id order by position)
    from held`;
  await store`
    update stamp_collections set unredeemed_purchases = 0, pending_redemptions = array[${redemption}::uuid]
    where id = ${id}`;
  await store`
    insert into cashbacks (amount, created_at, id, organisation_id, transaction_id, member_id, loyalty_program_id,
                           stamp_collection_id, redemption_id, transaction_ref, state, currency)
    values (300, now() - ${OLD_DAYS} * interval '1 day', ${uuidv7()}, ${member.organisationId}, ${last},
            ${member.memberId}, ${program}, ${id}, ${redemption}, ${refOf(last)}, 'pending', 'EUR')`;
}

/** A clip that a purchase of 1000 has redeemed for 100, still pending. */
async function oldClip(): Promise<{ readonly clip: string; readonly by: string }> {
  const [clip, by, deal] = [uuidv7(), await oldTransaction(), uuidv7()];
  await store`
    insert into clips (created_at, id, organisation_id, member_id, deal_id, redeemed_at)
    values ('2026-01-01T00:00:00Z', ${clip}, ${member.organisationId}, ${member.memberId}, ${deal}, now())`;
  await store`
    insert into cashbacks (amount, created_at, id, organisation_id, transaction_id, member_id, clip_id, deal_id,
                           transaction_ref, state, currency)
    values (100, now() - ${OLD_DAYS} * interval '1 day', ${uuidv7()}, ${member.organisationId}, ${by},
            ${member.memberId}, ${clip}, ${deal}, ${refOf(by)}, 'pending', 'EUR')`;
  return { clip, by };
}

let at = 0;

/** Handles these outcomes, twice. */
async function hears(...outcomes: TestOutcome[]): Promise<void> {
  for (let times = 0; times < 2; times++) {
    at += 1;
    await withOpenTransactions(store, (sql, awaited) => writeOutcomes(sql, outcomes, contextAt(at), awaited));
  }
}

/** An event that settles a purchase, and ingest's settlement of it, twice. */
async function settles(id: string, state: "cleared" | "reverted", amount: number | null = null) {
  await ingest(store, member, [{ id, ref: refOf(id), state, amount, currency: "EUR" }]);
  for (let times = 0; times < 2; times++) {
    at += 1;
    await withOpenTransactions(store, (sql, awaited) =>
      writeSettlements(sql, member.organisationId, [id], contextAt(at), awaited),
    );
  }
}

/** The cashbacks of a card or clip: transaction, amount and state, in the order of the transactions. */
async function paidBy(id: string): Promise<string[]> {
  const rows = await store<{ transaction: string; amount: number; state: string }[]>`
    select transaction_id as transaction, amount, state from cashbacks
    where stamp_collection_id = ${id} or clip_id = ${id} order by transaction_id`;
  return rows.map(({ transaction, amount, state }) => `${transaction} ${amount} ${state}`);
}

async function countOf(id: string): Promise<number | undefined> {
  const [card] = await store<{ count: number }[]>`
    select unredeemed_purchases as count from stamp_collections where id = ${id}`;
  return card?.count;
}

t.test("upgrade - rewards of the previous version are neither lost nor doubled", async (t) => {
  const waiting = await oldCard(REFUND, [1000, null], 2);
  const raised = await oldCard(REFUND, [1000, null], 2);
  const growing = await oldCard(FIXED, [1000]);
  const cleared = await oldCard(FIXED, [1000, 1000]);
  const undone = await oldCard(FIXED, [1000, 1000]);
  const orphaned = await oldCard(FIXED, [1000, 1000]);
  for (const card of [cleared, undone, orphaned]) await oldRedemption(card);
  const [paid, reopened] = [await oldClip(), await oldClip()];
  // Like the previous version, which deleted a member with its cards, and took the member from its purchases
  // and cashbacks.
  await store`delete from stamp_collections where id = ${orphaned.id}`;
  await store`update transactions set member_id = null where id = any(${orphaned.ids}::uuid[])`;
  await store`update cashbacks set member_id = null where stamp_collection_id = ${orphaned.id}`;

  await migratePublisher(url);
  t.match(await verifyRewards(store), { faults: [] }, "right after the migration");

  const [, late] = waiting.ids as [string, string];
  await settles(late, "cleared", 700);
  t.strictSame(
    await paidBy(waiting.id),
    [`${late} 700 cleared`],
    "the redemption that waited for an amount gets it",
  );
  t.equal(await countOf(waiting.id), 0);

  const [, second] = raised.ids as [string, string];
  const third = await oldTransaction();
  await hears(purchase(third, raised.id, { threshold: 3, reward: FIXED }));
  await settles(second, "cleared", 500);
  t.strictSame(await paidBy(raised.id), [`${second} 500 cleared`], "a threshold raised since takes nothing");
  t.equal(await countOf(raised.id), 1);

  const next = await oldTransaction();
  await hears(purchase(next, growing.id, { threshold: 2, reward: FIXED }));
  t.strictSame(await paidBy(growing.id), [`${next} 300 pending`], "a card goes on where it was");
  await settles(next, "cleared");
  t.strictSame(await paidBy(growing.id), [`${next} 300 cleared`]);

  const [, newest] = cleared.ids as [string, string];
  await settles(newest, "cleared", 10);
  t.strictSame(await paidBy(cleared.id), [`${newest} 300 cleared`]);

  const [oldest, other] = undone.ids as [string, string];
  await settles(oldest, "reverted");
  t.strictSame(await paidBy(undone.id), [`${other} 300 reverted`]);
  t.equal(await countOf(undone.id), 1);
  const again = await oldTransaction();
  await hears(purchase(again, undone.id, { threshold: 2, reward: FIXED }));
  t.strictSame(await paidBy(undone.id), [`${other} 300 reverted`, `${again} 300 pending`]);

  const [, last] = orphaned.ids as [string, string];
  const event = { id: last, ref: refOf(last), state: "cleared" } as const;
  await ingest(store, member, [event]);
  await settles(last, "cleared");
  t.strictSame(await paidBy(orphaned.id), [`${last} 300 cleared`], "for the deleted member");

  await settles(paid.by, "cleared");
  const tooLate = await oldTransaction();
  await hears(dealOf(tooLate, paid.clip));
  t.strictSame(await paidBy(paid.clip), [`${paid.by} 100 cleared`], "a redeemed clip stays redeemed");
  await settles(reopened.by, "reverted");
  const instead = await oldTransaction();
  await hears(dealOf(instead, reopened.clip));
  t.strictSame(await paidBy(reopened.clip), [`${reopened.by} 100 reverted`, `${instead} 100 pending`]);

  t.match(await verifyRewards(store), { lagging: 0, faults: [] }, "and at the end");
});
