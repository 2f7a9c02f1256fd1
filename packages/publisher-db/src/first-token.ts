import { lockForTransaction, type Sql, type Store } from "#postgres";
import { createToken } from "./api-tokens.ts";
import { createOrganisation, findOrganisations } from "./organisations.ts";

export interface FirstToken {
  readonly organisationName: string;
  readonly description: string;
  /** New ids, used if something is created. */
  readonly ids: { readonly organisationId: string; readonly tokenId: string };
  /**
   * Called once, only if a token is to be created, and before the commit. A caller that keeps the secret in a
   * file writes it here: so a crash leaves at worst a secret without a token (which the next start replaces),
   * and never a token whose secret is lost. `hash` is SHA-256 of the secret.
   */
  readonly newSecret: () => NewSecret | Promise<NewSecret>;
}

export interface NewSecret {
  readonly secret: string;
  readonly hash: Uint8Array;
}

/**
 * In a database without any token, makes a write token, and its organisation if none has that name (contract,
 * section 3). Returns the secret; undefined if there is a token, revoked or not. Several processes may call
 * it at the same time.
 */
export async function ensureFirstToken(store: Store, first: FirstToken): Promise<string | undefined> {
  return store.begin(async (sql) => {
    await lockForTransaction(sql, "firstToken");
    const [{ exists }] = await sql<[{ exists: boolean }]>`
      select exists (select from api_tokens) as exists`;
    if (exists) return undefined;
    const organisationId = await ensureOrganisation(sql, first);
    const { secret, hash } = await first.newSecret();
    await createToken(sql, {
      id: first.ids.tokenId,
      organisationId,
      access: "write",
      description: first.description,
      secretHash: hash,
    });
    return secret;
  });
}

async function ensureOrganisation(sql: Sql, first: FirstToken): Promise<string> {
  const name = first.organisationName;
  const [existing] = await findOrganisations(sql, { name, limit: 1 });
  const { id } = existing ?? (await createOrganisation(sql, { id: first.ids.organisationId, name }));
  return id;
}
