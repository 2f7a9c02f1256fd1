import { encodeId, transactionIdentifiers } from "#domain";
import type { Store } from "#postgres";
import { describeTransaction } from "../ingest/event-text.ts";
import { EPOCH_MS, fillDatabase, memberbaseIdOf, type World } from "../ingest/world.ts";
import { mix, seededUuid } from "../kit/random.ts";
import { usingStore } from "../kit/using-store.ts";

/** The records: everything about one follows from the seed and its number, here and in the load process. */
export interface StoredSpec {
  readonly seed: number;
  readonly members: number;
  readonly transactions: number;
}

/** The transactions of one "run" of the ingest workload, which gives their fields. */
const RUN = 0;
const HOUR_MS = 3_600_000;
const TIERS = ["bronze", "silver", "gold"] as const;
const CITIES = ["Berlin", "Lyon", "Malmö", "Porto", "Gdańsk", "Cork", "Graz"] as const;
const ROWS_PER_INSERT = 10_000;

/** The organisation's name for a member; also for a missing one, if its number is past the last. */
export function refOf(number: number): string {
  return `member-${number + 1}`;
}

/** The same for a member's id: past the last one, an id without a member. */
export function memberIdOf(spec: StoredSpec, world: World, number: number): string {
  return world.memberIds[number] ?? seededUuid(EPOCH_MS, spec.seed + 31, number);
}

export function externalIdOf(spec: StoredSpec, number: number): string {
  return describeTransaction(spec.seed, RUN, number, spec.members).externalId;
}

/** The answer to `member/get` for an existing member. */
export function memberAnswer(spec: StoredSpec, world: World, number: number) {
  const { createdAt, updatedAt } = memberTimes(spec, number);
  return {
    id: world.memberTypeIds[number] as string,
    member_base_id: encodeId("mb", memberbaseIdOf(spec.seed)),
    ref: refOf(number),
    attributes: memberAttributes(spec, number),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The answer to `transaction/get` for an existing transaction. */
export function transactionAnswer(spec: StoredSpec, world: World, number: number) {
  const row = transactionRow(spec, world, number);
  return {
    id: encodeId("tx", row.id),
    external_id: row.external_id,
    member_id: encodeId("m", row.member_id),
    state: row.state,
    network: row.network,
    merchant_id: row.merchant_id,
    statement_descriptor: row.statement_descriptor,
    amount: row.amount,
    currency: row.currency,
    authed_at: row.authed_at,
    ...(row.cleared_at !== null && { cleared_at: row.cleared_at }),
    ...(row.reverted_at !== null && { reverted_at: row.reverted_at }),
    identifiers: [row.six, row.eight].filter((identifier) => identifier !== null),
    rewards: [],
  };
}

/** Schema, token, members with attributes and transactions, analysed and vacuumed. */
export async function fillStored(url: string, spec: StoredSpec, world: World): Promise<void> {
  await fillDatabase(url, spec.seed, world);
  await usingStore(url, async (store) => {
    await inParts(spec.members, (number) => memberRow(spec, world, number), updateMembers(store));
    await inParts(
      spec.transactions,
      (number) => transactionRow(spec, world, number),
      insertTransactions(store, world),
    );
    await store.script("vacuum analyze");
  });
}

async function inParts(
  count: number,
  describe: (number: number) => object,
  write: (json: string) => PromiseLike<unknown>,
): Promise<void> {
  for (let first = 0; first < count; first += ROWS_PER_INSERT) {
    const rows = Array.from({ length: Math.min(ROWS_PER_INSERT, count - first) }, (_, i) =>
      describe(first + i),
    );
    await write(JSON.stringify(rows));
  }
}

function memberAttributes(spec: StoredSpec, number: number) {
  const draw = mix(spec.seed + 41, number);
  return {
    tier: TIERS[draw % TIERS.length] as string,
    city: CITIES[(draw >>> 4) % CITIES.length] as string,
    points: (draw >>> 8) % 10_000,
    newsletter: draw % 2 === 0,
    interests: ["coffee", "books", "travel"].slice(0, 1 + (draw % 3)),
  };
}

function memberTimes(spec: StoredSpec, number: number): { createdAt: string; updatedAt: string } {
  const createdMs = EPOCH_MS - spec.members + number;
  return {
    createdAt: new Date(createdMs).toISOString(),
    updatedAt: new Date(createdMs + (mix(spec.seed + 42, number) % HOUR_MS)).toISOString(),
  };
}

function memberRow(spec: StoredSpec, world: World, number: number) {
  const { createdAt, updatedAt } = memberTimes(spec, number);
  const attributes = memberAttributes(spec, number);
  return { id: world.memberIds[number], attributes, created_at: createdAt, updated_at: updatedAt };
}

function updateMembers(store: Store): (json: string) => PromiseLike<unknown> {
  return (json) => store`
    update members set attributes = given.attributes, created_at = given.created_at, updated_at = given.updated_at
    from json_to_recordset(${json}::text::json)
      as given (id uuid, attributes jsonb, created_at timestamptz, updated_at timestamptz)
    where members.id = given.id`;
}

function transactionRow(spec: StoredSpec, world: World, number: number) {
  const described = describeTransaction(spec.seed, RUN, number, spec.members);
  const draw = mix(spec.seed + 43, number) % 20;
  const state = draw < 14 ? "authorized" : draw < 19 ? "cleared" : "reverted";
  const settledAt = new Date(described.authedAtMs + HOUR_MS).toISOString();
  const { six, eight } = transactionIdentifiers(described);
  return {
    id: seededUuid(described.authedAtMs, spec.seed + 44, number),
    external_id: described.externalId,
    member_id: world.memberIds[described.member] as string,
    state,
    network: described.network,
    merchant_id: described.merchantId,
    statement_descriptor: described.statementDescriptor,
    amount: state === "authorized" ? described.amount : described.settledAmount,
    currency: described.currency,
    authed_at: new Date(described.authedAtMs).toISOString(),
    cleared_at: state === "cleared" ? settledAt : null,
    reverted_at: state === "reverted" ? settledAt : null,
    six,
    eight,
  };
}

function insertTransactions(store: Store, world: World): (json: string) => PromiseLike<unknown> {
  return (json) => store`
    insert into transactions (
      organisation_id, id, member_id, external_id, state, network, merchant_id, statement_descriptor,
      amount, currency, authed_at, cleared_at, reverted_at, identifier_6, identifier_8
    )
    select ${world.organisationId}, id, member_id, external_id, state, network, merchant_id, statement_descriptor,
      amount, currency, authed_at, cleared_at, reverted_at, decode(six, 'hex'), decode(eight, 'hex')
    from json_to_recordset(${json}::text::json) as given (
      id uuid, member_id uuid, external_id text, state text, network text, merchant_id text,
      statement_descriptor text, amount bigint, currency text, authed_at timestamptz, cleared_at timestamptz,
      reverted_at timestamptz, six text, eight text
    )`;
}
