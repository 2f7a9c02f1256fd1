/** The final state of a database, and its differences from the state before it was restored. */
import type { Store } from "#postgres";

/** One record that a publisher or its callers know. */
interface Known {
  /** Its kind and its id. */
  readonly name: string;
  /** The ref of its purchase, if it has one. */
  readonly ref: string | null;
  readonly memberId: string | null;
  readonly value: string;
}

export type Wallets = ReadonlyMap<string, Known>;

/**
 * All records of purchases and their earnings: ids, amounts and states, by their owners. Without the times of
 * writing, and without the numbers that order settlings and events.
 */
export async function readWallets(store: Store): Promise<Wallets> {
  const rows = await store<Known[]>`
    select 'purchase ' || id as name, external_id as ref, null::uuid as "memberId",
           concat_ws(' ', state, amount, currency, statement_descriptor, authed_at, cleared_at, reverted_at) as value
    from transactions
    union all
    select 'stamp ' || id, transaction_ref, null,
           concat_ws(' ', stamp_collection_id, voided_at is not null, coalesce(redemption_id::text, 'free'), purchase_amount, currency)
    from qualifying_purchases
    union all
    select 'order of stamps ' || q.stamp_collection_id, null, c.member_id,
           string_agg(right(q.transaction_ref, 3), ' ' order by q.position)
    from qualifying_purchases q join stamp_collections c on c.id = q.stamp_collection_id
    group by q.stamp_collection_id, c.member_id
    union all
    select 'redemption ' || r.id, null, c.member_id,
           concat_ws(' ', r.stamp_collection_id, r.transaction_id, undone_at is not null, stamp_ids::text)
    from redemptions r join stamp_collections c on c.id = r.stamp_collection_id
    union all
    select 'cashback ' || id, transaction_ref, null,
           concat_ws(' ', state, amount, currency, transaction_id, coalesce(clip_id, redemption_id))
    from cashbacks
    union all
    select 'clip ' || id, null, member_id, (redeemed_at is not null)::text from clips
    union all
    select 'card ' || id, null, member_id, concat_ws(' ', unredeemed_purchases, threshold, cardinality(pending_redemptions))
    from stamp_collections
    union all
    select 'rejection ' || external_id, external_id, null, string_agg(reason, ' ' order by reason)
    from transaction_rejections where rejected is null group by external_id
    union all
    select 'event ' || id, body::jsonb ->> 'transaction_ref', null,
           (body::jsonb - 'timestamp' - 'created_at' - 'voided_at')::text
    from events where type <> 'transaction.rejected'`;
  return new Map(rows.map((row) => [row.name, row]));
}

/** A record that has changed. */
export interface Difference extends Pick<Known, "ref" | "memberId"> {
  /** Such as `stamp lost`: there are few kinds. */
  readonly kind: string;
  readonly line: string;
}

export function differencesOf(before: Wallets, after: Wallets): Difference[] {
  const found: Difference[] = [];
  for (const [name, { value, ref, memberId }] of before) {
    const now = after.get(name)?.value;
    if (now === value) continue;
    const what = now === undefined ? "lost" : "changed";
    found.push({
      kind: `${kindOf(name)} ${what}`,
      ref,
      memberId,
      line: `${name} of ${ref}: ${value}; now ${now}`,
    });
  }
  for (const [name, { value, ref, memberId }] of after) {
    if (before.has(name)) continue;
    found.push({ kind: `${kindOf(name)} new`, ref, memberId, line: `${name} of ${ref}: ${value}` });
  }
  return found;
}

function kindOf(name: string): string {
  return name.slice(0, name.lastIndexOf(" "));
}
