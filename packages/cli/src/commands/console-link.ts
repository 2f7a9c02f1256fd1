import { userInfo } from "node:os";
import { type Command, Option } from "commander";
import type { Store } from "#postgres";
import { type ConsoleRole, endConsoleEntrances, listConsoleEntrances, makeConsoleLink } from "#publisher-db";
import { readSettings, type Settings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { findRunningInstance } from "../running-instance.ts";
import { findDatabase, withDatabase } from "../servers.ts";
import { type CommandContext, countOf, type Terminal } from "../terminal.ts";
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
    .description("print a link that signs one browser in to the console, once, within an hour")
    .addOption(
      new Option("--role <role>", "role of the user who opens the link")
        .choices(["support", "operator", "administrator"])
        .default("administrator"),
    )
    .option("--organisation <name or id>", "the organisation that support reads")
    .option("--user <name>", "name of that user in the audit (default: the name of this machine's user)")
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

interface SessionFlags {
  readonly end?: string;
  readonly endUser?: string;
  readonly endAll?: true;
}

/** `stampede console sessions`: lists them, and ends some or all. The console need not run. */
export function addConsoleSessionsCommand(program: Command, { terminal, env }: CommandContext): void {
  const service = program.commands.find((command) => command.name() === "console");
  service
    ?.command("sessions")
    .description(
      "list the console's open sessions and unused links: id, kind, user, role, organisation, expiry",
    )
    .addOption(new Option("--end <id>", "end this session or link at once").conflicts(["endUser", "endAll"]))
    .addOption(
      new Option("--end-user <name>", "end all sessions and links of this user").conflicts(["end", "endAll"]),
    )
    .addOption(
      new Option("--end-all", "end the sessions and links of all users").conflicts(["end", "endUser"]),
    )
    .action((flags: SessionFlags) => {
      const isList = flags.end === undefined && flags.endUser === undefined && flags.endAll === undefined;
      return withDatabase(findDatabase(readSettings(env)), (store) =>
        isList ? showSessions(store, terminal) : endSessions(store, flags, terminal),
      );
    });
}

async function showSessions(store: Store, terminal: Terminal): Promise<void> {
  for (const entrance of await listConsoleEntrances(store)) {
    const { id, kind, user, role, organisation, expires_at } = entrance;
    terminal.out([id, kind, user, role, organisation ?? "", expires_at].join("\t"));
  }
}

async function endSessions(
  store: Store,
  { end: id, endUser }: SessionFlags,
  terminal: Terminal,
): Promise<void> {
  if (id !== undefined && !/^[0-9a-f]{16}$/.test(id)) {
    throw new CommandError(`${id} is no id of a session: take one of the list's first column`);
  }
  const { sessions, links } = await endConsoleEntrances(store, { id, user: endUser });
  if (id !== undefined && sessions + links === 0) {
    throw new CommandError(`there is no open session or link ${id}`);
  }
  terminal.err(`ended: ${countOf(sessions, "session")}, ${countOf(links, "unused link")}`);
}

/** The console's address: the running instance's, unless the settings name a database; else that of the settings. */
function consoleUrlOf(settings: Settings): string {
  const { consoleProxies, consoleHost, consolePort, consoleBasePath, databaseUrl, dataDir } = settings;
  if (consoleProxies.length > 0) {
    throw new CommandError(
      "this console takes no links: STAMPEDE_CONSOLE_PROXIES name proxies that sign users in",
    );
  }
  const instance = databaseUrl === undefined ? findRunningInstance(dataDir) : undefined;
  if (instance?.consoleUrl !== undefined) return instance.consoleUrl;
  const host = consoleHost.includes(":") ? `[${consoleHost}]` : consoleHost;
  return `http://${host}:${consolePort}${consoleBasePath}`;
}
