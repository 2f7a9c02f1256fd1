import { gatherLookups, type Sql } from "#postgres";

/** The owner of a token: the platform, with the token's id, or a retailer, with the retailer's id. */
interface TokenOwner {
  readonly kind: "platform" | "retailer";
  readonly id: string;
}

/** Finds the owner by the SHA-256 of the secret. Look-ups share statements: see `findTokenByHash` of the publisher. */
export const findTokenOwner = gatherLookups<Uint8Array, TokenOwner>(async (sql, secretHashes) => {
  const hashes = secretHashes.map((hash) => Buffer.from(hash).toString("hex"));
  const rows = await sql<(TokenOwner | { readonly kind: null })[]>`
    select found.*
    from unnest(${hashes}::text[]) with ordinality as wanted (hash, at)
    left join lateral (
      select 'platform' as kind, id from platform.tokens where secret_hash = decode(wanted.hash, 'hex')
      union all
      select 'retailer' as kind, id from platform.retailers where token_hash = decode(wanted.hash, 'hex')
      union all
      select 'retailer' as kind, id from platform.retailers
      where previous_token_hash = decode(wanted.hash, 'hex') and previous_token_until > now()
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map((row) => (row.kind === null ? undefined : row));
});

interface NewRetailerToken {
  /** The retailer's. */
  readonly id: string;
  /** SHA-256 of the secret; the secret itself never comes here. */
  readonly tokenHash: Uint8Array;
  /**
   * For how many seconds the previous token is also valid. With 0 no request with it is accepted after the
   * commit.
   */
  readonly overlapSeconds: number;
}

/**
 * Gives the retailer another token. A retailer has at most two: the one before the previous one ends
 * immediately.
 * @returns undefined if there is no such retailer
 */
export async function rotateRetailerToken(
  sql: Sql,
  { id, tokenHash, overlapSeconds }: NewRetailerToken,
): Promise<{ readonly name: string; readonly previousUntil: Date | null } | undefined> {
  const isKept = overlapSeconds > 0;
  const [retailer] = await sql<{ name: string; previousUntil: Date | null }[]>`
    update platform.retailers set
      token_hash = ${tokenHash},
      previous_token_hash = case when ${isKept}::boolean then token_hash end,
      previous_token_until = case when ${isKept}::boolean then now() + ${overlapSeconds}::int * interval '1 second' end
    where id = ${id}
    returning name, previous_token_until as "previousUntil"`;
  return retailer;
}
