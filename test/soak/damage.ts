import { randomUUID } from "node:crypto";
import { encodeId } from "#domain";
import type { Store } from "#postgres";
import { type Book, nameOf } from "#test-world";

/** The problem that an audit must find. */
export const DAMAGED_KINDS: readonly string[] = [
  "card",
  "poller",
  "rejection",
  "stored",
  "verify",
  "wallet",
  "webhook",
];

/**
 * Does by hand the damage that faults could have done, each kind to other transactions.
 * @returns the damage, with its transactions
 */
export async function damage(store: Store, book: Book): Promise<Record<string, string>> {
  // A rejection of any other batch may have been reported to a caller who got no answer.
  const batches = book.batches.filter(({ isAsync }) => isAsync).map(nameOf);
  const [other] = await store<[{ ref: string }]>`
    update transactions set amount = amount + 1
    where external_id = (select external_id from transactions where state = 'cleared' order by external_id limit 1)
    returning external_id as ref`;
  const [lost] = await store<[{ ref: string }]>`
    delete from transactions
    where id = (
      select id from transactions t
      where state = 'authorized' and not exists (select from qualifying_purchases q where q.transaction_id = t.id)
        and not exists (select from cashbacks c where c.transaction_id = t.id)
      order by external_id desc limit 1
    )
    returning external_id as ref`;
  const [untold] = await store<[{ ref: string }]>`
    delete from events
    where id = (select id from events where type = 'qualifying_purchase.created' order by sequence desc limit 1)
    returning body::json ->> 'transaction_ref' as ref`;
  const [unheard] = await store<[{ ref: string }]>`
    delete from events
    where id = (select id from events where type = 'transaction.rejected' and body::json ->> 'batch_id' = any (${batches})
      order by sequence desc limit 1)
    returning body::json ->> 'transaction_ref' as ref`;
  const [renamed] = await store<{ id: string; body: string }[]>`
    select id, body from events where type = 'cashback.created' order by sequence limit 1`;
  const otherId = randomUUID();
  if (renamed === undefined) throw new Error("no cashback was told: the load was too small to be damaged");
  const { event_id, transaction_ref } = JSON.parse(renamed.body);
  const body = renamed.body.replace(event_id, encodeId("evt", otherId));
  await store`update events set id = ${otherId}, body = ${body} where id = ${renamed.id}`;
  const [richer] = await store<[{ ref: string }]>`
    update cashbacks set amount = amount + 1
    where id = (select id from cashbacks c where member_id in (select id from members) order by id limit 1)
    returning transaction_ref as ref`;
  return {
    "another clearing's amount": other.ref,
    "a transaction that is gone": lost.ref,
    "an event of a stamp that is gone": untold.ref,
    "an event that has another id": transaction_ref,
    "a rejection without an event": unheard.ref,
    "a cashback of another amount": richer.ref,
  };
}
