import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret, isTimestamp } from "#domain";
import type { Sql, Store } from "#postgres";
import {
  createOrganisation,
  createToken,
  findOrganisations,
  getOrganisation,
  type Organisation,
  type TokenAccess,
} from "#publisher-db";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";

export interface TokenRequest {
  /** A name, or an id: `org_…`. */
  readonly organisation: string;
  readonly access: TokenAccess;
  readonly description: string;
  /** RFC 3339 with an offset. */
  readonly expiresAt?: string | undefined;
  /** Makes the organisation if none has that name. */
  readonly createOrganisation: boolean;
}

const LISTED = 20;

/** Makes an API token. Only the secret goes to `out`; this is the only time it is shown. */
export async function createApiToken(store: Store, request: TokenRequest, terminal: Terminal): Promise<void> {
  const expiresAt = readExpiry(request.expiresAt);
  const secret = createTokenSecret(randomBytes(32));
  const { organisation, token } = await store.begin(async (sql) => {
    if (expiresAt !== undefined && (await isOver(sql, expiresAt))) {
      throw new CommandError("--expires-at is in the past");
    }
    const organisation = await chooseOrganisation(sql, request);
    const token = await createToken(sql, {
      id: uuidv7(),
      organisationId: organisation.id,
      access: request.access,
      description: request.description,
      secretHash: hashTokenSecret(secret),
      expiresAt,
    });
    return { organisation, token };
  });
  const until = token.expiresAt === null ? "does not expire" : `expires at ${token.expiresAt.toISOString()}`;
  terminal.err(`organisation ${describe(organisation)}`);
  terminal.err(
    `token ${encodeId("atok", token.id)}, access ${token.access}, ${until}; its secret is shown only here:`,
  );
  terminal.out(secret);
}

function readExpiry(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!isTimestamp(text)) {
    throw new CommandError(`--expires-at must be a timestamp such as 2027-01-31T00:00:00Z, not "${text}"`);
  }
  return new Date(text);
}

/** By the database's clock, which also decides when the token expires. */
async function isOver(sql: Sql, time: Date): Promise<boolean> {
  const [row] = await sql<[{ over: boolean }]>`select ${time}::timestamptz <= now() as over`;
  return row.over;
}

async function chooseOrganisation(sql: Sql, request: TokenRequest): Promise<Organisation> {
  const given = request.organisation;
  const id = decodeId("org", given);
  const byId = id === undefined ? undefined : await getOrganisation(sql, id);
  if (byId !== undefined) return byId;
  const [found, second] = await findOrganisations(sql, { name: given, limit: 2 });
  if (second !== undefined) {
    throw new CommandError(
      `several organisations are named "${given}": give the id, one of ${await listKnown(sql, given)}`,
    );
  }
  if (found !== undefined) return found;
  if (id === undefined && request.createOrganisation) {
    return createOrganisation(sql, { id: uuidv7(), name: given });
  }
  throw new CommandError(
    `no organisation "${given}": add --create-organisation, or name one of ${await listKnown(sql)}`,
  );
}

async function listKnown(sql: Sql, name?: string): Promise<string> {
  const known = await findOrganisations(sql, { ...(name !== undefined && { name }), limit: LISTED + 1 });
  if (known.length === 0) return "none (there is none yet)";
  const shown = known.slice(0, LISTED).map(describe).join(", ");
  return known.length > LISTED ? `${shown}, …` : shown;
}

function describe(organisation: Organisation): string {
  return `"${organisation.name}" (${encodeId("org", organisation.id)})`;
}
