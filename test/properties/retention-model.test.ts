import assert from "node:assert/strict";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { type BatchEvent, nameUuid, SeededRandom, type TransactionState, transactionId } from "#domain";
import type { RewardContext } from "#domain/rewards";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation, deleteMembers, verifyRewards } from "#publisher-db";
import { MovableClock, programRecord, testServers } from "#test-support";
import { createMemberbase } from "../../services/edge/src/members/memberbases.ts";
import { upsertMembers } from "../../services/edge/src/members/upsert-members.ts";
import { createStampCollection } from "../../services/edge/src/wallet/stamp-collections.ts";
import { applyEvents } from "../../services/ingest/src/batch/apply-events.ts";
import { toEventBatch } from "../../services/ingest/src/batch/event-batch.ts";
import { createRetention } from "../../services/ingest/src/cleanup/retention.ts";
import { applyProgramConfig } from "../../services/rewards/src/handle-config.ts";
import {
  dealOf,
  purchase,
  type TestOutcome,
  writeOutcomes,
  writeSettlements,
} from "../../services/rewards/src/store/test-batch.ts";

/**
 * Random histories of a year or two, in two databases at once: one removes what is older than 90 days, the
 * other, its twin, keeps everything. After each round of retention
 * - each remaining row is as in the twin, and the rows that retention does not remove (cards, clips, events)
 *   are equal;
 * - exactly the due rows are gone, by a few lines over the twin's rows;
 * - `verify` finds nothing. At the end every event is sent again: no removed row comes back. `FC_SEED`
 *   repeats a run, `FC_RUNS` makes more runs.
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.FC_RUNS ?? 6);

const DAY_MS = 86_400_000;
const DAYS = 90;
/** The platform pairs the halves of a purchase up to twice 30 days after it. */
const OUTCOME_DAYS = 60;
const STEPS = 160;
const MEMBERS = 3;
const CLIPS = 4;

t.setTimeout(120_000 + RUNS * 60_000);

interface Side {
  readonly store: Store;
  readonly clock: MovableClock;
}

interface Bought {
  readonly event: BatchEvent;
  readonly member: number;
}

async function openSide(startMs: number): Promise<Side> {
  const url = await (await testServers()).databaseUrl();
  const clock = await MovableClock.install(url, startMs);
  const store = connectStore({ url, max: 2, applicationName: "test" });
  t.teardown(() => closeStore(store));
  return { store, clock };
}

/** The same members, cards and clips in both databases. */
interface World {
  readonly organisationId: string;
  readonly memberbaseId: string;
  readonly members: readonly string[];
  /** Two cards of each member, and clips. */
  readonly targets: ReadonlyArray<readonly TestOutcome["target"][]>;
  readonly programs: readonly string[];
}

function drawWorld(): World {
  const targetsOf = () => [
    ...Array.from({ length: 2 }, () => ({ kind: "collection" as const, id: uuidv7() })),
    ...Array.from({ length: CLIPS }, () => ({ kind: "clip" as const, id: uuidv7() })),
  ];
  return {
    organisationId: uuidv7(),
    memberbaseId: uuidv7(),
    members: Array.from({ length: MEMBERS }, () => uuidv7()),
    targets: Array.from({ length: MEMBERS }, targetsOf),
    programs: [uuidv7(), uuidv7()],
  };
}

async function build(store: Store, world: World): Promise<void> {
  const { organisationId, memberbaseId, members, programs } = world;
  await createOrganisation(store, { id: organisationId, name: "twin" });
  await createMemberbase(store, { id: memberbaseId, organisationId, name: "twin" });
  const refs = members.map((_, at) => ({ ref: `member ${at}` }));
  await upsertMembers(store, { organisationId, memberbaseId, members: refs, ids: members });
  for (const [at, id] of programs.entries()) await configure(store, id, at === 0 ? 3 : 2, 1);
  for (const [at, memberId] of members.entries()) {
    for (const [place, { kind, id }] of (world.targets[at] ?? []).entries()) {
      if (kind === "collection") {
        const loyaltyProgramId = programs[place] as string;
        await createStampCollection(store, { id, organisationId, memberId, loyaltyProgramId });
      } else {
        await store`
          insert into clips (id, organisation_id, member_id, deal_id)
          values (${id}, ${organisationId}, ${memberId}, ${nameUuid(id)})`;
      }
    }
  }
}

function configure(store: Store, id: string, threshold: number, revision: number): Promise<boolean> {
  const rewardConfig = { type: "fixed-reward", amount: 300 } as const;
  const record = programRecord({ qualifyingThreshold: threshold, rewardConfig, currency: "EUR" });
  return applyProgramConfig(store, { id, revision, record });
}

class Twins {
  readonly kept: Side;
  readonly whole: Side;
  readonly world = drawWorld();
  readonly bought: Bought[] = [];
  /** Deleted members. */
  readonly gone = new Set<number>();
  /** Settled transactions of whose settlement rewards does not know yet. */
  readonly untold = new Set<string>();
  readonly applied: TestOutcome[] = [];
  readonly retain: () => Promise<void>;
  #batches = 0;
  readonly left = { transactions: 0, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 };

  constructor(kept: Side, whole: Side) {
    this.kept = kept;
    this.whole = whole;
    const metrics = {
      step: (rows: Record<keyof Twins["left"], number>) => {
        for (const table of Object.keys(this.left) as (keyof Twins["left"])[])
          this.left[table] += rows[table];
      },
      state: () => {},
    };
    const work = createRetention({ store: kept.store, days: DAYS, metrics });
    this.retain = () => work(new AbortController().signal);
  }

  get sides(): readonly Side[] {
    return [this.kept, this.whole];
  }

  get nowMs(): number {
    return this.kept.clock.now.getTime();
  }

  async pass(ms: number): Promise<void> {
    for (const { clock } of this.sides) await clock.pass(ms);
  }

  context(): RewardContext {
    const micro = String(++this.#batches % 1000).padStart(3, "0");
    return { at: this.kept.clock.now.toISOString().replace("Z", `${micro}Z`), idOf: nameUuid };
  }

  /** The outcome of one event in each database. */
  async ingest(event: BatchEvent): Promise<readonly string[]> {
    const kinds: string[] = [];
    for (const { store } of this.sides) {
      const { outcomes } = await store.begin((sql) => applyEvents(sql, toEventBatch([{ ...event, ord: 0 }])));
      const [outcome] = outcomes;
      kinds.push(outcome?.kind === "rejected" ? outcome.rejection.reason : (outcome?.kind ?? "none"));
    }
    return kinds;
  }

  async outcomes(batch: readonly TestOutcome[]): Promise<void> {
    const context = this.context();
    for (const { store } of this.sides) await store.begin((sql) => writeOutcomes(sql, batch, context));
  }

  async settlements(ids: readonly string[]): Promise<void> {
    const context = this.context();
    const { organisationId } = this.world;
    for (const { store } of this.sides) {
      await store.begin((sql) => writeSettlements(sql, organisationId, ids, context));
    }
    for (const id of ids) this.untold.delete(id);
  }
}

function eventOf(world: World, member: number, at: Date, n: number, state: TransactionState): BatchEvent {
  const { organisationId } = world;
  const externalId = `purchase ${String(n).padStart(6, "0")}`;
  const authedAt = at.toISOString().replace("Z", "000Z");
  return {
    ord: 0,
    id: transactionId("twins", organisationId, externalId, at.getTime()),
    organisationId,
    memberId: world.members[member] as string,
    externalId,
    state,
    network: "visa",
    merchantId: "m",
    statementDescriptor: null,
    amount: 1000,
    currency: "EUR",
    authedAt,
    clearedAt: state === "cleared" ? authedAt : null,
    revertedAt: state === "reverted" ? authedAt : null,
    identifier6: "06".repeat(32),
    identifier8: null,
    firstDescriptor: null,
  };
}

/** One random step. */
async function happen(twins: Twins, random: SeededRandom): Promise<void> {
  const { world, bought, nowMs } = twins;
  const dice = random.next();
  const young = bought.filter(({ event }) => nowMs - Date.parse(event.authedAt) < OUTCOME_DAYS * DAY_MS);
  if (dice < 0.35 || young.length === 0) {
    const member = random.between(0, MEMBERS - 1);
    if (twins.gone.has(member)) return;
    const state = random.chance(0.15) ? random.pick(["cleared", "reverted"] as const) : "authorized";
    const event = eventOf(world, member, new Date(nowMs), bought.length, state);
    assert.deepEqual(await twins.ingest(event), ["created", "created"]);
    bought.push({ event, member });
  } else if (dice < 0.6) {
    await outcome(twins, random, young);
  } else if (dice < 0.8) {
    await settle(twins, random);
  } else if (dice < 0.86) {
    await twins.settlements([...twins.untold]);
  } else if (dice < 0.9) {
    await repeat(twins, random.pick(bought));
  } else if (dice < 0.94) {
    // The platform repeats an outcome, after any time. Not for a removed purchase: if a clip is open again by
    // then, the twin gives it to that purchase.
    const again = twins.applied.length > 0 ? random.pick(twins.applied) : undefined;
    if (again !== undefined && (await isThere(twins.kept, again))) await twins.outcomes([again]);
  } else if (dice < 0.97) {
    const threshold = random.between(1, 4);
    const revision = nowMs;
    for (const { store } of twins.sides) {
      await configure(store, random.pick([world.programs[0] as string]), threshold, revision);
    }
  } else if (dice > 0.995) {
    await forget(twins, random.between(0, MEMBERS - 1));
  }
}

async function isThere({ store }: Side, { transactionId }: TestOutcome): Promise<boolean> {
  const rows = await store`select from transactions where id = ${transactionId}`;
  return rows.length > 0;
}

async function outcome(twins: Twins, random: SeededRandom, young: readonly Bought[]): Promise<void> {
  const batch: TestOutcome[] = [];
  for (let n = random.between(1, 3); n > 0; n--) {
    const { event, member } = random.pick(young);
    const { kind, id } = random.pick(twins.world.targets[member] as readonly TestOutcome["target"][]);
    batch.push(kind === "clip" ? dealOf(event.id, id) : purchase(event.id, id));
  }
  await twins.outcomes(batch);
  twins.applied.push(...batch);
}

/**
 * Settles a purchase of any age: some clear late; rewards handles the settlement at once, later, or together
 * with others.
 */
async function settle(twins: Twins, random: SeededRandom): Promise<void> {
  const open = twins.bought.filter(({ event }) => event.state === "authorized");
  if (open.length === 0) return;
  const chosen = random.chance(0.8) ? (open[0] as Bought) : random.pick(open);
  const state = random.chance(0.75) ? "cleared" : "reverted";
  const at = new Date(twins.nowMs).toISOString().replace("Z", "000Z");
  const event: BatchEvent = {
    ...chosen.event,
    state,
    clearedAt: state === "cleared" ? at : null,
    revertedAt: state === "reverted" ? at : null,
  };
  const kinds = await twins.ingest(event);
  if (!twins.gone.has(chosen.member)) assert.deepEqual(kinds, ["updated", "updated"]);
  // If its member is deleted, an open purchase is removed as well.
  const hasLeft = twins.gone.has(chosen.member) && ["past_retention", "not_found"].includes(String(kinds[0]));
  if (hasLeft) return;
  assert.equal(kinds[0], kinds[1]);
  if (kinds[0] !== "updated") return;
  twins.bought[twins.bought.indexOf(chosen)] = { ...chosen, event };
  twins.untold.add(event.id);
  if (random.chance(0.7)) await twins.settlements([event.id]);
}

/** @returns whether the purchase was removed */
async function repeat(twins: Twins, { event, member }: Bought): Promise<boolean> {
  const [kept, whole] = await twins.ingest(event);
  assert.equal(whole, "unchanged");
  // A known transaction takes events even after its member is deleted; once it is removed, the member is
  // checked first.
  const left = twins.gone.has(member) ? ["past_retention", "not_found"] : ["past_retention"];
  assert.ok(kept === "unchanged" || left.includes(String(kept)), kept);
  return kept !== "unchanged";
}

async function forget(twins: Twins, member: number): Promise<void> {
  const { organisationId, memberbaseId, members } = twins.world;
  const ids = [members[member] as string];
  for (const { store } of twins.sides) {
    await deleteMembers(store, { organisationId, memberbaseId, which: { ids } });
  }
  twins.gone.add(member);
}

interface Row {
  readonly id: string;
  readonly [column: string]: unknown;
}

interface Rows {
  readonly transactions: readonly Row[];
  readonly qualifying_purchases: readonly Row[];
  readonly redemptions: readonly Row[];
  readonly cashbacks: readonly Row[];
}
const TABLES = ["transactions", "qualifying_purchases", "redemptions", "cashbacks"] as const;

/** The rows without the columns that the machine's clock, and not the test's, has written. */
async function readRows({ store }: Side): Promise<Rows> {
  const rows: Record<string, Row[]> = {};
  for (const table of TABLES) {
    const found = await store<{ row: Row }[]>`select to_json(t) as row from ${store(table)} t order by id`;
    rows[table] = found.map(({ row }) => row);
  }
  for (const row of rows.transactions ?? []) delete (row as { created_at?: unknown }).created_at;
  return rows as unknown as Rows;
}

async function readEqual({ store }: Side): Promise<unknown> {
  const collections = await store`
    select id, member_id, loyalty_program_id, unredeemed_purchases, waiting_threshold, next_position, pending_redemptions
    from stamp_collections order by id`;
  const clips = await store`select id, member_id, redeemed_at from clips order by id`;
  const events = await store`select type, at, transaction_id, body from events order by sequence`;
  return [collections, clips, events].map((rows) => [...rows]);
}

/**
 * The due transactions by the twin's rows: slowly, and in another way than the service. @param gone ids of
 * deleted members
 */
function duesOf(rows: Rows, gone: ReadonlySet<unknown>, beforeMs: number): ReadonlySet<string> {
  const isOld = (...times: unknown[]) =>
    times.every((time) => time === null || Date.parse(String(time)) < beforeMs);
  const paidBy = new Map(rows.cashbacks.map((cashback) => [cashback.redemption_id, cashback]));
  const isAtRest = (stamp: Row) => {
    const cashback = paidBy.get(stamp.redemption_id ?? "");
    if (!isOld(stamp.created_at, stamp.voided_at)) return false;
    if (cashback !== undefined && !isCashbackAtRest(cashback)) return false;
    return stamp.voided_at !== null || cashback?.state === "cleared";
  };
  const isCashbackAtRest = ({ state, created_at, cleared_at, reverted_at }: Row) =>
    state !== "pending" && isOld(created_at, cleared_at, reverted_at);
  const due = new Set<string>();
  for (const { id, state, member_id, authed_at, updated_at } of rows.transactions) {
    if ((state === "authorized" && !gone.has(member_id)) || !isOld(authed_at, updated_at)) continue;
    const stamps = rows.qualifying_purchases.filter(({ transaction_id }) => transaction_id === id);
    const cashbacks = rows.cashbacks.filter(({ transaction_id }) => transaction_id === id);
    if (stamps.every(isAtRest) && cashbacks.every(isCashbackAtRest)) due.add(id);
  }
  return due;
}

/** The rows that must remain, out of the twin's, when these transactions are removed. */
function expectedRows(whole: Rows, due: ReadonlySet<string>): Rows {
  const stampById = new Map(whole.qualifying_purchases.map((stamp) => [stamp.id, stamp]));
  const isGone = (stampId: unknown) => due.has(String(stampById.get(String(stampId))?.transaction_id));
  let redemptions: Row[] = whole.redemptions.filter(
    ({ stamp_ids }) => !(stamp_ids as string[]).every(isGone),
  );
  for (let before = -1; redemptions.length !== before; ) {
    before = redemptions.length;
    const shared = new Set(redemptions.flatMap(({ stamp_ids }) => stamp_ids as string[]));
    redemptions = whole.redemptions.filter(({ stamp_ids }) =>
      (stamp_ids as string[]).some((id) => shared.has(id) || !isGone(id)),
    );
  }
  const taken = new Set(redemptions.flatMap(({ stamp_ids }) => stamp_ids as string[]));
  const known = new Set(whole.redemptions.map(({ id }) => id));
  const stay = new Set(redemptions.map(({ id }) => id));
  return {
    transactions: whole.transactions.filter(({ id }) => !due.has(id)),
    qualifying_purchases: whole.qualifying_purchases.filter(
      ({ id, transaction_id }) => taken.has(id) || !due.has(String(transaction_id)),
    ),
    redemptions,
    cashbacks: whole.cashbacks.filter(({ redemption_id, transaction_id }) =>
      known.has(String(redemption_id)) ? stay.has(String(redemption_id)) : !due.has(String(transaction_id)),
    ),
  };
}

/**
 * The findings of `verify`. Without events: the service would sweep them after 30 days, and here nothing
 * does. Without settlements that are not handled yet: the test holds those back for days.
 */
async function findFaults({ store }: Side): Promise<unknown[]> {
  const { faults } = await verifyRewards(store);
  return faults.filter(
    ({ kind }) => !kind.endsWith("_events") && kind !== "cashback_pending" && kind !== "stamp_reverted",
  );
}

/** Transactions removed in earlier rounds stay away, even if the twin's have changed since. */
async function compare(twins: Twins, left: Set<string>, beforeMs: number): Promise<void> {
  const whole = await readRows(twins.whole);
  const gone = new Set([...twins.gone].map((member) => twins.world.members[member]));
  for (const id of duesOf(whole, gone, beforeMs)) left.add(id);
  const kept = await readRows(twins.kept);
  const expected = expectedRows(whole, left);
  for (const table of TABLES) {
    // The machine's clock gives the time of storing, the test's clock that of the change.
    const plain = ({ updated_at: _, settled_order: __, ...row }: Row) => row;
    assert.deepEqual(kept[table].map(plain), expected[table].map(plain), table);
  }
  assert.deepEqual(await readEqual(twins.kept), await readEqual(twins.whole));
  assert.deepEqual(await findFaults(twins.kept), []);
}

t.test(
  `retention - the remaining rows equal those of a twin that keeps everything (FC_SEED=${SEED})`,
  async (t) => {
    const seen = {
      refused: 0,
      repeated: 0,
      transactions: 0,
      qualifying_purchases: 0,
      redemptions: 0,
      cashbacks: 0,
    };
    for (let run = 0; run < RUNS; run++) {
      const random = new SeededRandom(SEED + run);
      const startMs = Math.ceil(Date.now() / 1000) * 1000;
      const twins = new Twins(await openSide(startMs), await openSide(startMs));
      for (const { store } of twins.sides) await build(store, twins.world);
      const left = new Set<string>();
      for (let step = 0; step < STEPS; step++) {
        await twins.pass(random.between(1, 5 * DAY_MS));
        await happen(twins, random);
        if (!random.chance(0.1)) continue;
        await twins.retain();
        await compare(twins, left, twins.nowMs - DAYS * DAY_MS);
      }
      for (const one of twins.bought) {
        seen.repeated++;
        if (await repeat(twins, one)) seen.refused++;
      }
      await twins.outcomes(twins.applied);
      await twins.settlements(twins.bought.map(({ event }) => event.id));
      await twins.settlements([...twins.untold]);
      for (const table of TABLES) seen[table] += twins.left[table];
      assert.deepEqual(await findFaults(twins.kept), []);
    }
    t.comment(seen);
    // A generator that never gets there would prove nothing.
    for (const [what, count] of Object.entries(seen)) t.ok(count > 0, `${what}: ${count}`);
  },
);
