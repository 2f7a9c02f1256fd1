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
  readonly organisationId: string;
  readonly name: string;
  readonly access: "read" | "write";
}

/** The organisations that the console has tokens of, and their tokens, which nobody outside of this process gets to see. */
export class OrganisationTokens {
  readonly #known: ReadonlyMap<string, Known>;

  private constructor(known: ReadonlyMap<string, Known>) {
    this.#known = known;
  }

  /** Asks the database whose each token is. One that is not known there is left out, with a warning. */
  static async load(sql: Sql, secrets: readonly string[], log: Log): Promise<OrganisationTokens> {
    const known = new Map<string, Known>();
    for (const [index, secret] of secrets.entries()) {
      const row = isTokenSecret(secret) ? await findToken(sql, secret) : undefined;
      if (row === undefined) {
        log.warn({ place: index + 1 }, "a token of STAMPEDE_CONSOLE_TOKENS is not known here");
        continue;
      }
      const { organisationId: id, name, access } = row;
      known.set(id, { id, name, tokens: { ...known.get(id)?.tokens, [access]: secret } });
    }
    return new OrganisationTokens(known);
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Those that somebody may see, by name. */
  visibleTo({ organisationId }: Identity): Organisation[] {
    const visible = [...this.#known.values()].filter(({ id }) => (organisationId ?? id) === id);
    return visible.map(({ id, name }) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * The organisation that a request is about.
   * @param chosen `org_…`; may be left out where there is only one
   * @throws ApiError `authorization_error` for one that this person may not see, whether it exists or not
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

  /** A token of the organisation: where reading is enough, one that can do no more, if there is one. */
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

/** As the page sees it. */
export function showOrganisation({ id, name }: Organisation): { id: string; name: string } {
  return { id: encodeId("org", id), name };
}

async function findToken(sql: Sql, secret: string): Promise<TokenRow | undefined> {
  const [row] = await sql<TokenRow[]>`
    select o.id as "organisationId", o.name, t.access
    from api_tokens t join organisations o on o.id = t.organisation_id
    where t.secret_hash = ${hashTokenSecret(secret)}`;
  return row;
}
