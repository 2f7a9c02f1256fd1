import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { uuidv7 } from "uuidv7";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret, isTimestamp } from "#domain";
import {
  createPlatformToken,
  deletePlatformToken,
  listPlatformTokens,
  rotateRetailerToken,
} from "#platform-db";
import type { Sql, Store } from "#postgres";
import {
  createOrganisation,
  createToken,
  findOrganisations,
  getOrganisation,
  type Organisation,
  type TokenAccess,
} from "#publisher-db";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { readDuration } from "../option-values.ts";
import { findDatabase, findPlatformDatabase, withDatabase } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

interface CreateFlags {
  /** A name, or an id: `org_…`. */
  organisation?: string;
  access?: TokenAccess;
  description: string;
  /** RFC 3339 with an offset. */
  expiresAt?: string;
  createOrganisation: boolean;
  platform: boolean;
  retailer?: string;
  overlap?: number;
}

const OF_PUBLISHERS = ["organisation", "access", "expiresAt", "createOrganisation"];

/** `token create|list|revoke`. Publishers list and revoke their own tokens through the API. */
export function addTokenCommands(program: Command, { terminal, env }: CommandContext): void {
  const token = program.command("token").description("API tokens");
  const onPlatform = (work: (store: Store) => Promise<void>) =>
    withDatabase(findPlatformDatabase(readSettings(env)), work);
  token
    .command("create")
    .description("make a token and print its secret, once, to stdout")
    .option("--organisation <name or id>", "the token's organisation")
    .addOption(new Option("--access <level>", "what the token permits").choices(["read", "write"]))
    .option("--description <text>", "a note for people", "made by stampede token create")
    .option("--expires-at <timestamp>", "such as 2027-01-31T00:00:00Z; without it the token does not expire")
    .option("--create-organisation", "make the organisation if there is none of that name", false)
    .addOption(
      new Option("--platform", "a token of the reference platform, which may do everything there")
        .default(false)
        .conflicts([...OF_PUBLISHERS, "retailer"]),
    )
    .addOption(
      new Option(
        "--retailer <id>",
        "another token for this retailer's software; its previous token stays valid for --overlap",
      ).conflicts([...OF_PUBLISHERS, "platform"]),
    )
    .addOption(
      new Option(
        "--overlap <duration>",
        "how long a retailer's previous token stays valid, 0s to 7d; after a leak 0s (default: 1d)",
      )
        .argParser(readOverlap)
        .conflicts([...OF_PUBLISHERS, "platform"]),
    )
    .action(async (flags: CreateFlags) => {
      const { organisation, access, platform, retailer } = flags;
      if (platform) return onPlatform((store) => makePlatformToken(store, flags.description, terminal));
      if (retailer !== undefined)
        return onPlatform((store) => rotateToken(store, retailer, flags.overlap ?? DAY_SECONDS, terminal));
      if (organisation === undefined || access === undefined) {
        throw new CommandError(
          "give --organisation and --access for a publisher's token, or --platform, or --retailer",
        );
      }
      const request = { ...flags, organisation, access };
      const database = findDatabase(readSettings(env));
      return withDatabase(database, (store) => createApiToken(store, request, terminal));
    });
  token
    .command("list")
    .description("list the platform's tokens: id, creation, description (a publisher's: api-token/list)")
    .option("--platform", "the tokens of the reference platform", false)
    .action(({ platform }: PlatformFlag) => {
      assertPlatform(platform, "api-token/list");
      return onPlatform((store) => showPlatformTokens(store, terminal));
    });
  token
    .command("revoke")
    .description("end a token of the platform at once, for good (a publisher's: api-token/revoke)")
    .argument("<id>", "as `token list --platform` shows it")
    .option("--platform", "a token of the reference platform", false)
    .action((id: string, { platform }: PlatformFlag) => {
      assertPlatform(platform, "api-token/revoke");
      return onPlatform((store) => revokePlatformToken(store, id, terminal));
    });
}

interface PlatformFlag {
  readonly platform: boolean;
}

/** Publishers manage their tokens by their API, which tells every edge. */
function assertPlatform(isPlatform: boolean, route: string): void {
  if (isPlatform) return;
  throw new CommandError(
    `give --platform for the platform's tokens; for a publisher's tokens call ${route} of its API`,
  );
}

type TokenRequest = Pick<CreateFlags, "description" | "expiresAt" | "createOrganisation"> & {
  readonly organisation: string;
  readonly access: TokenAccess;
};

const LISTED = 20;

/** Makes an API token. Only the secret goes to `out`; this is the only time it is shown. */
async function createApiToken(store: Store, request: TokenRequest, terminal: Terminal): Promise<void> {
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
  terminal.err(`organisation ${describeOrganisation(organisation)}`);
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

export async function chooseOrganisation(
  sql: Sql,
  request: Pick<TokenRequest, "organisation" | "createOrganisation">,
): Promise<Organisation> {
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
  const shown = known.slice(0, LISTED).map(describeOrganisation).join(", ");
  return known.length > LISTED ? `${shown}, …` : shown;
}

function describeOrganisation(organisation: Organisation): string {
  return `"${organisation.name}" (${encodeId("org", organisation.id)})`;
}

/** Makes a token of the reference platform. Only the secret goes to `out`; this is the only time it is shown. */
async function makePlatformToken(store: Store, description: string, terminal: Terminal): Promise<void> {
  const secret = createTokenSecret(randomBytes(32));
  const id = uuidv7();
  await createPlatformToken(store, { id, description, secretHash: hashTokenSecret(secret) });
  terminal.err(`platform token ${encodeId("atok", id)}; its secret is shown only here:`);
  terminal.out(secret);
}

/** One line each, tab-separated: id, when it was made, description. */
async function showPlatformTokens(store: Store, terminal: Terminal): Promise<void> {
  for (const { id, createdAt, description } of await listPlatformTokens(store)) {
    terminal.out([encodeId("atok", id), createdAt.toISOString(), description].join("\t"));
  }
}

async function revokePlatformToken(store: Store, given: string, terminal: Terminal): Promise<void> {
  const id = decodeId("atok", given);
  if (id === undefined || !(await deletePlatformToken(store, id))) {
    throw new CommandError(
      `the platform has no token ${given}: \`stampede token list --platform\` shows them`,
    );
  }
  terminal.err(`platform token ${given} is revoked`);
}

/** Makes a new token for a retailer. Only the new secret goes to `out`; the previous token stays valid for a while. */
async function rotateToken(
  store: Store,
  given: string,
  overlapSeconds: number,
  terminal: Terminal,
): Promise<void> {
  const secret = createTokenSecret(randomBytes(32));
  const id = decodeId("ret", given);
  const tokenHash = hashTokenSecret(secret);
  const rotated =
    id === undefined ? undefined : await rotateRetailerToken(store, { id, tokenHash, overlapSeconds });
  if (rotated === undefined)
    throw new CommandError(`no retailer ${given}: retailer/list of the platform shows them`);
  const { name, previousUntil } = rotated;
  const before = previousUntil === null ? "is refused" : `is valid until ${previousUntil.toISOString()}`;
  terminal.err(
    `retailer "${name}" (${given}) has a new token, and its previous one ${before}; shown only here:`,
  );
  terminal.out(secret);
}

const DAY_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 7 * DAY_SECONDS;

function readOverlap(text: string): number {
  const seconds = readDuration(text) / 1000;
  if (Number.isInteger(seconds) && seconds <= LONGEST_OVERLAP_SECONDS) return seconds;
  throw new InvalidArgumentError("It is a duration of whole seconds, 7d at most.");
}
