import { uuidv7 } from "uuidv7";
import { decodeId } from "#domain";
import { bury, connectStream } from "#nats";
import { createLog } from "#runtime";
import { poison } from "../../services/console/src/dead-letters/test-letters.ts";
import type { ConsoleScene } from "./console-scene.ts";
import { coffees, succeeds } from "./console-shop.ts";

/** A list with too many rows to read. */
export interface ManyRows {
  readonly at: (scene: ConsoleScene) => string;
  /** The caption of its table. */
  readonly caption: string;
  /** The summary to open, if the table is behind one. */
  readonly open?: string;
  /** How many rows there are at least. */
  readonly rows: number;
  /** Two rows may read the same. */
  readonly hasTwins?: true;
  /**
   * Makes the rows. All but purchases go straight into the tables, in one statement: the API would take
   * minutes.
   */
  fill(scene: ConsoleScene): PromiseLike<unknown>;
}

/** Rows of the longest list; all lists are one component of the page. */
const PURCHASES = 2000;
/** Several pages: one of them has at most 100 rows. */
const ROWS = 500;
/** Rows of the one member beside purchases; a page of redemptions has 20 rows. */
const MEMBERS_ROWS = 300;

const busyMember = ({ busyMemberId }: ConsoleScene) => `/member/${busyMemberId}`;
const made = async () => {};
const ids = (count = ROWS) => Array.from({ length: count }, uuidv7);
const uuidOf = (prefix: Parameters<typeof decodeId>[0], id: string) => decodeId(prefix, id) as string;

/** Every list of the console that grows. */
export const LONG_LISTS = {
  purchases: { at: busyMember, caption: "Purchases, newest first", rows: PURCHASES, fill: buyCoffees },
  rejections: { at: busyMember, caption: "Rejected events, newest first", rows: ROWS, fill: fillRejections },
  stamps: {
    at: busyMember,
    caption: "Stamps of the card, oldest first",
    open: "Every stamp",
    rows: MEMBERS_ROWS,
    fill: fillWallet,
  },
  // Made together with the stamps.
  redemptions: { at: busyMember, caption: "Redemptions, oldest first", rows: MEMBERS_ROWS, fill: made },
  cashbacks: { at: busyMember, caption: "Cashbacks, oldest first", rows: MEMBERS_ROWS, fill: made },
  clips: { at: busyMember, caption: "Saved deals, oldest first", rows: MEMBERS_ROWS, fill: fillClips },
  deliveries: {
    at: ({ webhookId }) => `/webhook/${webhookId}`,
    caption: "Deliveries, newest first",
    rows: ROWS,
    fill: fillDeliveries,
  },
  letters: {
    at: () => "/dead-letters/INGEST/poison_event",
    caption: "Dead letters, oldest first",
    rows: ROWS,
    fill: fillLetters,
  },
  audit: {
    at: () => "/audit",
    caption: "Lines of the audit, newest first",
    rows: ROWS,
    // Two look-ups of the same record within a second.
    hasTwins: true,
    fill: fillAudit,
  },
  programs: {
    at: () => "/programs",
    caption: "Programs, oldest first",
    rows: ROWS,
    fill: fillPrograms,
  },
  deals: { at: () => "/programs/deals", caption: "Deals, oldest first", rows: ROWS, fill: fillDeals },
  retailers: {
    at: () => "/programs/retailers",
    caption: "Retailers, oldest first",
    rows: ROWS,
    fill: fillRetailers,
  },
} as const satisfies Record<string, ManyRows>;

async function buyCoffees({ publisher, busyMemberId }: ConsoleScene): Promise<void> {
  await succeeds(publisher.ingest(coffees(busyMemberId, PURCHASES, { merchant_id: "M-ELSEWHERE" })));
}

function fillRejections({ pipeline: { store, publisher }, busyMemberId }: ConsoleScene) {
  return store`
    insert into transaction_rejections
      (organisation_id, id, batch_id, member_id, event_index, external_id, code, reason, from_state, to_state)
    select ${publisher.organisationId}, id, ${uuidv7()}, ${uuidOf("m", busyMemberId)}, n, 'rejected-' || n, 'conflict',
           'invalid_transition', 'cleared', 'reverted'
    from unnest(${ids()}::uuid[]) with ordinality as rejected (id, n)`;
}

/** A card whose stamps were all redeemed one by one, each with its own cashback. */
async function fillWallet({ pipeline, busyMemberId, shop }: ConsoleScene): Promise<void> {
  const { store, publisher } = pipeline;
  const [card, organisation] = [uuidv7(), publisher.organisationId];
  const [member, program] = [uuidOf("m", busyMemberId), uuidOf("lp", shop.programId)];
  const [stamps, redemptions, cashbacks] = [ids(MEMBERS_ROWS), ids(MEMBERS_ROWS), ids(MEMBERS_ROWS)];
  await store`
    insert into stamp_collections (next_position, id, organisation_id, member_id, loyalty_program_id)
    values (${MEMBERS_ROWS + 1}, ${card}, ${organisation}, ${member}, ${program})`;
  await store`
    with bought as (
      select id, external_id, row_number() over (order by external_id) as n
      from transactions where member_id = ${member}
    ),
    full_cards as (
      select bought.id as transaction_id, external_id, n, stamp_id, redemption_id, cashback_id
      from unnest(${stamps}::uuid[], ${redemptions}::uuid[], ${cashbacks}::uuid[]) with ordinality
        as ids (stamp_id, redemption_id, cashback_id, n)
      join bought using (n)
    ),
    stamps as (
      insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                        purchase_amount, redemption_id, transaction_ref, currency)
      select n, now(), stamp_id, ${organisation}, ${card}, transaction_id, 450, redemption_id, external_id, 'EUR'
      from full_cards
    ),
    redeemed as (
      insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
      select now(), redemption_id, ${organisation}, ${card}, transaction_id, array[stamp_id] from full_cards
    )
    insert into cashbacks (amount, id, organisation_id, transaction_id, member_id, loyalty_program_id,
                           stamp_collection_id, redemption_id, transaction_ref, state, currency)
    select 350, cashback_id, ${organisation}, transaction_id, ${member}, ${program}, ${card}, redemption_id,
           external_id, 'pending', 'EUR'
    from full_cards`;
}

function fillClips({ pipeline: { store, publisher }, busyMemberId, shop }: ConsoleScene) {
  return store`
    insert into clips (created_at, id, organisation_id, member_id, deal_id, redeemed_at)
    select now() - n * interval '1 minute', id, ${publisher.organisationId}, ${uuidOf("m", busyMemberId)},
           ${uuidOf("deal", shop.dealId)}, now()
    from unnest(${ids(MEMBERS_ROWS)}::uuid[]) with ordinality as clip (id, n)`;
}

function fillDeliveries({ pipeline: { store, publisher }, webhookId }: ConsoleScene) {
  return store`
    insert into webhook_deliveries
      (created_at, id, webhook_id, organisation_id, attempts, last_attempt_at, status, duration_ms, state,
       event_sequences, answer)
    select now(), id, ${uuidOf("whk", webhookId)}, ${publisher.organisationId}, 1, now(), 200, 12, 'delivered',
           array[event.sequence], 'thanks'
    from unnest(${ids()}::uuid[]) as delivery (id),
         (select max(sequence) as sequence from events where organisation_id = ${publisher.organisationId}) as event`;
}

async function fillLetters({ pipeline }: ConsoleScene): Promise<void> {
  const { natsUrl: url, streamPrefix: prefix, publisher } = pipeline;
  const log = createLog({ service: "test", level: "silent" });
  const stream = await connectStream({ url, name: "test", prefix, log });
  try {
    const letters = Array.from({ length: ROWS }, () => poison(publisher.organisationId));
    // Not a copy of a message that was there: the page would take its letter for one that it knows already.
    const isNew = (sequence: number) => sequence + 1_000_000;
    await Promise.all(letters.map((letter) => bury(stream, { ...letter, sequence: isNew(letter.sequence) })));
  } finally {
    await stream.close();
  }
}

function fillAudit({ pipeline: { store, publisher } }: ConsoleScene) {
  return store`
    insert into console_audit (organisation_id, completed_at, user_name, role, action, subject, outcome)
    select ${publisher.organisationId}, now(), 'ada', 'operator', 'publisher.v1/transaction/trace', 'order-' || n, 'ok'
    from generate_series(1, ${ROWS}::int) as n`;
}

/** Programs like the scene's own, but not published: no publisher has to know of them. */
function fillPrograms({ pipeline: { store }, shop }: ConsoleScene) {
  return store`
    insert into platform.loyalty_programs
      (revision, published_revision, id, qualifying_threshold, name, reward_config, display_content, rules)
    select 1, 1, made.id, qualifying_threshold, 'Card ' || n, reward_config, display_content, rules
    from unnest(${ids()}::uuid[]) with ordinality as made (id, n), platform.loyalty_programs as program
    where program.id = ${uuidOf("lp", shop.programId)}`;
}

function fillDeals({ pipeline: { store }, shop }: ConsoleScene) {
  return store`
    insert into platform.deals (revision, published_revision, id, name, reward_config, display_content, rules)
    select 1, 1, made.id, 'Offer ' || n, reward_config, display_content, rules
    from unnest(${ids()}::uuid[]) with ordinality as made (id, n), platform.deals as deal
    where deal.id = ${uuidOf("deal", shop.dealId)}`;
}

function fillRetailers({ pipeline: { store } }: ConsoleScene) {
  return store`
    insert into platform.retailers (id, name, merchant_ids, statement_descriptors, token_hash)
    select id, 'Shop ' || n, array['M-SHOP-' || n], '{}', sha256(id::text::bytea)
    from unnest(${ids()}::uuid[]) with ordinality as made (id, n)`;
}
