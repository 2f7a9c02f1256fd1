import { userInfo } from "node:os";
import { type Command, Option } from "commander";
import { type ConsoleRole, makeConsoleLink } from "#publisher-db";
import { readSettings, type Settings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { findRunningInstance } from "../running-instance.ts";
import { findDatabase, withDatabase } from "../servers.ts";
import type { CommandContext } from "../terminal.ts";
import { chooseOrganisation } from "./tokens.ts";

interface LinkFlags {
  readonly role: ConsoleRole;
  readonly organisation?: string;
  readonly user?: string;
}

/** `stampede console link`, beside `stampede console`, which runs that service. */
export function addConsoleLinkCommand(program: Command, { terminal, env }: CommandContext): void {
  const service = program.commands.find((command) => command.name() === "console");
  service
    ?.command("link")
    .description("print a link that lets one browser into the console, once, within the hour")
    .addOption(
      new Option("--role <role>", "what its user may do")
        .choices(["support", "operator", "administrator"])
        .default("administrator"),
    )
    .option("--organisation <name or id>", "the one that support reads")
    .option("--user <name>", "for the audit (default: the name of who runs this)")
    .action(async ({ role, organisation, user = userInfo().username }: LinkFlags) => {
      if ((role === "support") !== (organisation !== undefined)) {
        throw new CommandError("--role support needs --organisation, and the other roles have none");
      }
      const settings = readSettings(env);
      const url = consoleUrlOf(settings);
      await withDatabase(findDatabase(settings), async (store) => {
        const only =
          organisation === undefined
            ? undefined
            : await chooseOrganisation(store, { organisation, createOrganisation: false });
        terminal.out(await makeConsoleLink(store, url, { user, role, organisationId: only?.id }));
      });
    });
}

/** Where the console is: as the settings say, otherwise that of the running instance. */
function consoleUrlOf(settings: Settings): string {
  const { consoleProxies, consoleHost, consolePort, consoleBasePath, databaseUrl, dataDir } = settings;
  if (consoleProxies.length > 0) {
    throw new CommandError("STAMPEDE_CONSOLE_PROXIES say who comes to this console: it takes no links");
  }
  const instance = databaseUrl === undefined ? findRunningInstance(dataDir) : undefined;
  if (instance?.consoleUrl !== undefined) return instance.consoleUrl;
  const host = consoleHost.includes(":") ? `[${consoleHost}]` : consoleHost;
  return `http://${host}:${consolePort}${consoleBasePath}`;
}
