import type { Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";
import type { Sealed } from "#runtime";

/** What a walk over sealed rows came to. Rows that were under the newest key already are not counted. */
export interface Resealed {
  /** Under the newest key now. */
  readonly resealed: number;
  /** No key opened them; they are as they were. */
  readonly unreadable: number;
}

/** The same secret under the newest key; undefined: no key opens it. */
type Reseal<Row extends Sealed> = (row: Row) => Sealed | undefined;

/** How the rows of one table are walked. */
interface Walk<Row extends Sealed> {
  /** The next rows after `last`, of those that are not under the newest key; none at the end. */
  readonly readAfter: (last: Row | undefined) => PromiseLike<readonly Row[]>;
  readonly reseal: Reseal<Row>;
  /** Resolves to whether the row was still as it was read. */
  write(row: Row, sealed: Sealed): Promise<boolean>;
}

/**
 * Gives each row to `reseal`, and what comes of it to `write`, one row after the other. Not in one transaction: a row is
 * right under either key, so a crash in between does no harm and the next walk goes on; and locks on many rows at a time
 * could meet those of a rotation or a sweep in another order.
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
/** Before every id. */
const NIL = "00000000-0000-0000-0000-000000000000";

/** A secret and the webhook that it signs for. */
interface OwnedWebhookSecret extends SealedWebhookSecret {
  readonly webhookId: string;
}

/**
 * Puts the secrets of all webhooks under the key `keyId`, in small steps beside everything that runs. Secrets that sign no
 * more are left out. One that is made meanwhile has a higher id and is met, whichever key sealed it.
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
      where id > ${last?.id ?? NIL} and key_id <> ${keyId} and (expires_at is null or expires_at > now())
      order by id limit ${ROWS_PER_STEP}`,
    async write(row, sealed) {
      // Nothing but this changes the bytes of a secret. The key tells whether another walk was here first.
      const written = await sql`
        update webhook_secrets set key_id = ${sealed.keyId}, sealed = ${sealed.bytes}
        where id = ${row.id} and key_id = ${row.keyId}
        returning 1`;
      return written.length > 0;
    },
  });
}

/** The secrets that were made last and sign now, of all organisations, newest first: to see whether they open. */
export async function loadNewestSecrets(sql: Sql, limit: number): Promise<OwnedWebhookSecret[]> {
  return sql<OwnedWebhookSecret[]>`
    select id, webhook_id as "webhookId", key_id as "keyId", sealed as bytes
    from webhook_secrets
    where expires_at is null or expires_at > now()
    order by id desc limit ${limit}`;
}

const BEFORE_ALL = { organisationId: NIL, route: "", key: "" };

/** An answer that is kept sealed, and whose it is. */
interface SealedAnswer {
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/**
 * Puts the kept answers that hold secrets under the key `keyId`, in small steps beside everything that runs. Answers
 * older than `keptMs`, by the clock of the database, are left out: they are not given again. One that is kept meanwhile by
 * a process whose newest key is another may be passed by.
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
      // A key whose time is over may have been used anew since the row was read: then the answer is another one.
      const written = await sql`
        update idempotency_keys set key_id = ${sealed.keyId}, answer = ${sealed.bytes}
        where organisation_id = ${row.organisationId} and route = ${row.route} and key = ${row.key}
          and key_id = ${row.keyId} and answer = ${row.bytes}
        returning 1`;
      return written.length > 0;
    },
  });
}
