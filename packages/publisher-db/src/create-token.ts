import type { Sql } from "#postgres";
import { type Token, type TokenAccess, tokenColumns } from "./token.ts";

export interface NewToken {
  readonly id: string;
  readonly organisationId: string;
  readonly access: TokenAccess;
  readonly description: string;
  /** SHA-256 of the secret, 32 bytes. The secret itself never comes here. */
  readonly secretHash: Uint8Array;
  readonly expiresAt?: Date | undefined;
}

export async function createToken(sql: Sql, token: NewToken): Promise<Token> {
  const [created] = await sql<[Token]>`
    insert into api_tokens (id, organisation_id, access, description, secret_hash, expires_at)
    values (${token.id}, ${token.organisationId}, ${token.access}, ${token.description}, ${token.secretHash},
            ${token.expiresAt ?? null})
    returning ${tokenColumns(sql)}`;
  return created;
}
