import { type Command, Option } from "commander";
import type { Store } from "#postgres";
import type { TokenAccess } from "#publisher-db";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { makePlatformToken } from "./commands/create-platform-token.ts";
import { createApiToken } from "./commands/create-token.ts";
import { remakeRetailerToken } from "./commands/remake-retailer-token.ts";
import { revokePlatformToken } from "./commands/revoke-platform-token.ts";
import { showPlatformTokens } from "./commands/show-platform-tokens.ts";
import { findDatabase, findPlatformDatabase } from "./find-database.ts";
import type { Terminal } from "./terminal.ts";
import { withDatabase } from "./with-database.ts";

interface CreateFlags {
  organisation?: string;
  access?: TokenAccess;
  description: string;
  expiresAt?: string;
  createOrganisation: boolean;
  platform: boolean;
  retailer?: string;
}

const OF_PUBLISHERS = ["organisation", "access", "expiresAt", "createOrganisation"];

/** `token create|list|revoke`. A publisher lists and revokes its own by the API, where every edge hears of it. */
export function addTokenCommands(
  program: Command,
  { terminal, env }: { terminal: Terminal; env: Environment },
): void {
  const token = program.command("token").description("API tokens");
  const onPlatform = (work: (store: Store) => Promise<void>) =>
    withDatabase(findPlatformDatabase(readSettings(env)), work);
  token
    .command("create")
    .description("make a token and print its secret, once, to stdout")
    .option("--organisation <name or id>", "whose token it is")
    .addOption(new Option("--access <level>", "what it may do").choices(["read", "write"]))
    .option("--description <text>", "for people", "made by stampede token create")
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
        "another token for this retailer's software; the one before ends at once",
      ).conflicts([...OF_PUBLISHERS, "platform"]),
    )
    .action(async (flags: CreateFlags) => {
      const { organisation, access, platform, retailer } = flags;
      if (platform) return onPlatform((store) => makePlatformToken(store, flags.description, terminal));
      if (retailer !== undefined)
        return onPlatform((store) => remakeRetailerToken(store, retailer, terminal));
      if (organisation === undefined || access === undefined) {
        throw new CommandError(
          "say --organisation and --access for a publisher's token, --platform, or --retailer",
        );
      }
      const request = { ...flags, organisation, access };
      const database = findDatabase(readSettings(env));
      return withDatabase(database, (store) => createApiToken(store, request, terminal));
    });
  token
    .command("list")
    .description("the platform's tokens: id, when it was made, description (publishers': api-token/list)")
    .requiredOption("--platform", "those of the reference platform")
    .action(() => onPlatform((store) => showPlatformTokens(store, terminal)));
  token
    .command("revoke")
    .description("end a token of the platform at once, for good (publishers': api-token/revoke)")
    .argument("<id>", "as `token list --platform` shows it")
    .requiredOption("--platform", "one of the reference platform")
    .action((id: string) => onPlatform((store) => revokePlatformToken(store, id, terminal)));
}
