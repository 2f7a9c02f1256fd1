import { ApiError } from "#contract";
import { decodeId, encodeId, hashTokenSecret, isTokenSecret } from "#domain";
import type { Sql } from "#postgres";
import type { Log } from "#runtime";
import type { Identity } from "./roles.ts";

export interface Organisation {
  /** UUID. */
  readonly id: string;
  readonly name: string;
}

interface Known extends Organisation {
  /** A token that may only read, if there is one, and one that may write. */
  readonly tokens: Partial<Record<"read" | "write", string>>;
}

interface TokenRow {
  /** UUID of version 7: later ones are greater. */
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly access: "read" | "write";
  /** Revoked or expired. */
  readonly isOver: boolean;
}

/** The organisations of the console's tokens, and the tokens, which never leave this process. */
export class OrganisationTokens {
  readonly #known: ReadonlyMap<string, Known>;

  private constructor(known: ReadonlyMap<string, Known>) {
    this.#known = known;
  }

  /**
   * Reads the organisation of each token, once, like settings. An invalid token is left out, with a warning. Of two with the
   * same access the newer one is used, so that both may be set while tokens are replaced.
   */
  static async load(sql: Sql, secrets: readonly string[], log: Log): Promise<OrganisationTokens> {
    const found: (TokenRow & { readonly secret: string })[] = [];
    for (const [index, secret] of secrets.entries()) {
      const row = isTokenSecret(secret) ? await findToken(sql, secret) : undefined;
      if (row !== undefined && !row.isOver) found.push({ ...row, secret });
      else {
        const reason = row === undefined ? "unknown" : "revoked or expired";
        log.warn({ place: index + 1, reason }, "a token of STAMPEDE_CONSOLE_TOKENS does not count");
      }
    }
    const known = new Map<string, Known>();
    for (const { organisationId: id, name, access, secret } of found.sort(byAge)) {
      known.set(id, { id, name, tokens: { ...known.get(id)?.tokens, [access]: secret } });
    }
    return new OrganisationTokens(known);
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** The organisations that a caller may see, by name. */
  visibleTo({ organisationId }: Identity): Organisation[] {
    const visible = [...this.#known.values()].filter(({ id }) => (organisationId ?? id) === id);
    return visible.map(({ id, name }) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * The organisation of a request.
   * @param chosen `org_…`; may be left out if there is only one
   * @throws ApiError `authorization_error` for one that the caller may not see, even if it does not exist
   */
  choose(identity: Identity, chosen: string | undefined): Organisation {
    const visible = this.visibleTo(identity);
    if (chosen === undefined || chosen === "") {
      const [only, second] = visible;
      if (only !== undefined && second === undefined) return only;
      const reason = only === undefined ? "no_organisation" : "organisation_required";
      throw new ApiError("bad_request", "choose an organisation", { reason });
    }
    const id = decodeId("org", chosen);
    const found = visible.find((organisation) => organisation.id === id);
    if (found === undefined)
      throw new ApiError("authorization_error", "this organisation is not yours to see");
    return found;
  }

  /** A token of the organisation: for reading, one that can only read, if there is one. */
  tokenOf(organisation: Organisation, access: "read" | "write"): string | undefined {
    const { read, write } = this.#known.get(organisation.id)?.tokens ?? {};
    return access === "read" ? (read ?? write) : write;
  }

  /** The organisation that a group's entry names, by name or id. */
  find(nameOrId: string): Organisation | undefined {
    const id = decodeId("org", nameOrId);
    return [...this.#known.values()].find((known) => known.id === id || known.name === nameOrId);
  }
}

/** For the page. */
export function showOrganisation({ id, name }: Organisation): { id: string; name: string } {
  return { id: encodeId("org", id), name };
}

function byAge({ id: one }: TokenRow, { id: other }: TokenRow): number {
  return one < other ? -1 : 1;
}

async function findToken(sql: Sql, secret: string): Promise<TokenRow | undefined> {
  const [row] = await sql<TokenRow[]>`
    select t.id, o.id as "organisationId", o.name, t.access,
      t.revoked_at is not null or coalesce(t.expires_at <= now(), false) as "isOver"
    from api_tokens t join organisations o on o.id = t.organisation_id
    where t.secret_hash = ${hashTokenSecret(secret)}`;
  return row;
}
