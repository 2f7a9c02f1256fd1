import { NIL_UUID } from "#domain";
import type { Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";
import type { Sealed } from "#runtime";

/** The result of a walk over sealed rows. Rows under the newest key are not counted. */
export interface Resealed {
  /** Rows that are now under the newest key. */
  readonly resealed: number;
  /** Rows that no key opened; they are unchanged. */
  readonly unreadable: number;
}

/** Seals the same secret with the newest key; undefined if no key opens it. */
type Reseal<Row extends Sealed> = (row: Row) => Sealed | undefined;

/** A walk over the rows of one table. */
interface Walk<Row extends Sealed> {
  /** The next rows after `last` that are not under the newest key; none at the end. */
  readonly readAfter: (last: Row | undefined) => PromiseLike<readonly Row[]>;
  readonly reseal: Reseal<Row>;
  /** Resolves to whether the row was unchanged since it was read. */
  write(row: Row, sealed: Sealed): Promise<boolean>;
}

/**
 * Gives each row to `reseal`, and the result to `write`, one row after the other. Not in one transaction: a row is valid under
 * either key, so a crash does no harm, and locks on many rows could deadlock with those of a rotation or a sweep.
 */
async function resealAll<Row extends Sealed>({ readAfter, reseal, write }: Walk<Row>): Promise<Resealed> {
  let [resealed, unreadable] = [0, 0];
  let last: Row | undefined;
  do {
    const rows = await readAfter(last);
    for (const row of rows) {
      const sealed = reseal(row);
      if (sealed === undefined) unreadable++;
      else if (await write(row, sealed)) resealed++;
    }
    last = rows.at(-1);
  } while (last !== undefined);
  return { resealed, unreadable };
}

const ROWS_PER_STEP = 100;
/** A secret, and the webhook whose deliveries it signs. */
interface OwnedWebhookSecret extends SealedWebhookSecret {
  readonly webhookId: string;
}

/**
 * Puts the secrets of all webhooks under the key `keyId`, in small steps, beside the services. Expired secrets are left out. A
 * secret that is made meanwhile has a higher id, so the walk meets it.
 */
export async function resealWebhookSecrets(
  sql: Sql,
  keyId: string,
  reseal: Reseal<OwnedWebhookSecret>,
): Promise<Resealed> {
  return resealAll<OwnedWebhookSecret>({
    reseal,
    readAfter: (last) => sql<OwnedWebhookSecret[]>`
      select id, webhook_id as "webhookId", key_id as "keyId", sealed as bytes
      from webhook_secrets
      where id > ${last?.id ?? NIL_UUID} and key_id <> ${keyId} and (expires_at is null or expires_at > now())
      order by id limit ${ROWS_PER_STEP}`,
    async write(row, sealed) {
      // Nothing else changes the bytes of a secret. The key shows whether another walk has resealed it.
      const written = await sql`
        update webhook_secrets set key_id = ${sealed.keyId}, sealed = ${sealed.bytes}
        where id = ${row.id} and key_id = ${row.keyId}
        returning 1`;
      return written.length > 0;
    },
  });
}

/** The newest valid secrets of all organisations, newest first, to check whether they open. */
export async function loadNewestSecrets(sql: Sql, limit: number): Promise<OwnedWebhookSecret[]> {
  return sql<OwnedWebhookSecret[]>`
    select id, webhook_id as "webhookId", key_id as "keyId", sealed as bytes
    from webhook_secrets
    where expires_at is null or expires_at > now()
    order by id desc limit ${limit}`;
}

const BEFORE_ALL = { organisationId: NIL_UUID, route: "", key: "" };

/** A sealed answer, and the key of its request. */
interface SealedAnswer {
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/**
 * Puts the kept answers that hold secrets under the key `keyId`, in small steps, beside the services. Answers older than
 * `keptMs` by the database's clock are left out, because they are not given again. An answer that a process with another newest
 * key keeps meanwhile may be missed.
 */
export async function resealKeptAnswers(
  sql: Sql,
  keyId: string,
  keptMs: number,
  reseal: Reseal<SealedAnswer>,
): Promise<Resealed> {
  return resealAll<SealedAnswer>({
    reseal,
    readAfter(last) {
      const { organisationId, route, key } = last ?? BEFORE_ALL;
      return sql<SealedAnswer[]>`
        select organisation_id as "organisationId", route, key, key_id as "keyId", answer as bytes
        from idempotency_keys
        where (organisation_id, route, key) > (${organisationId}::uuid, ${route}, ${key})
          and key_id <> ${keyId} and created_at > now() - ${keptMs}::float8 * interval '1 millisecond'
        order by organisation_id, route, key limit ${ROWS_PER_STEP}`;
    },
    async write(row, sealed) {
      // An expired idempotency key may have been used again since the row was read, with another answer.
      const written = await sql`
        update idempotency_keys set key_id = ${sealed.keyId}, answer = ${sealed.bytes}
        where organisation_id = ${row.organisationId} and route = ${row.route} and key = ${row.key}
          and key_id = ${row.keyId} and answer = ${row.bytes}
        returning 1`;
      return written.length > 0;
    },
  });
}
