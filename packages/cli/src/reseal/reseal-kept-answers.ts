import type { Sql } from "#postgres";
import { type Reseal, type Resealed, resealRows } from "./resealed.ts";

const ROWS_PER_STEP = 100;
const BEFORE_ALL = { organisationId: "00000000-0000-0000-0000-000000000000", route: "", key: "" };

/** An answer that is kept sealed, and whose it is. */
export interface SealedAnswer {
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
  let [resealed, unreadable] = [0, 0];
  let last: typeof BEFORE_ALL | undefined = BEFORE_ALL;
  while (last !== undefined) {
    const rows: SealedAnswer[] = await sql<SealedAnswer[]>`
      select organisation_id as "organisationId", route, key, key_id as "keyId", answer as bytes
      from idempotency_keys
      where (organisation_id, route, key) > (${last.organisationId}::uuid, ${last.route}, ${last.key})
        and key_id <> ${keyId} and created_at > now() - ${keptMs}::float8 * interval '1 millisecond'
      order by organisation_id, route, key limit ${ROWS_PER_STEP}`;
    const step = await resealRows(rows, reseal, async (row, sealed) => {
      // A key whose time is over may have been used anew since the row was read: then the answer is another one.
      const written = await sql`
        update idempotency_keys set key_id = ${sealed.keyId}, answer = ${sealed.bytes}
        where organisation_id = ${row.organisationId} and route = ${row.route} and key = ${row.key}
          and key_id = ${row.keyId} and answer = ${row.bytes}
        returning 1`;
      return written.length > 0;
    });
    resealed += step.resealed;
    unreadable += step.unreadable;
    last = rows.at(-1);
  }
  return { resealed, unreadable };
}
