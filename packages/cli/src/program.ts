import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { accountsConf } from "#nats";
import { type Environment, readSettings, requireEncryptionKeys } from "#runtime";
import { CommandError } from "./command-error.ts";
import { listDeadLetters } from "./commands/list-dead-letters.ts";
import { type ListenRequest, listen } from "./commands/listen.ts";
import { migrateDatabases } from "./commands/migrate-database.ts";
import { migrateStreams } from "./commands/migrate-streams.ts";
import { readSelection, redriveDeadLetters } from "./commands/redrive-dead-letters.ts";
import { rotateWebhookKeys } from "./commands/rotate-webhook-keys.ts";
import { verify } from "./commands/verify.ts";
import { runDemo } from "./demo/run-demo.ts";
import { addExamineCommands } from "./examine-commands.ts";
import { findDatabase, findDatabases } from "./find-database.ts";
import { runService } from "./run-service.ts";
import { findRunningInstance, readPlatformTokenFile, readTokenFile } from "./running-instance.ts";
import { addServiceCommands } from "./service-commands.ts";
import type { Terminal } from "./terminal.ts";
import { addTokenCommands } from "./token-commands.ts";
import { withDatabase } from "./with-database.ts";
import { withStream } from "./with-stream.ts";

const { version: VERSION } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

/**
 * The command line. Its actions throw what `explainFailure` words; `exit` is told when a command failed without an
 * error (the demo, whose report is its message).
 */
export function createProgram(options: {
  terminal: Terminal;
  env: Environment;
  exit: (code: number) => void;
}): Command {
  const program = new Command("stampede")
    .description("Operates a Stampede installation.")
    .version(VERSION)
    .showHelpAfterError("(stampede --help shows what there is)");
  addServiceCommands(program, runService);
  addTokenCommands(program, options);
  program
    .command("migrate")
    .description(
      "bring the databases (DATABASE_URL and STAMPEDE_PLATFORM_DATABASE_URL, or the running instance's) and the streams of NATS_URL to this version",
    )
    .action(async () => {
      const settings = readSettings(options.env);
      await migrateDatabases(findDatabases(settings), options.terminal);
      await migrateStreams(settings, options.terminal);
    });
  program
    .command("nats-accounts")
    .description(
      "print accounts.conf for NATS: the users and their rights, for STAMPEDE_PARTITIONS and STAMPEDE_STREAM_PREFIX",
    )
    .action(() => {
      const { streamPrefix: prefix, partitions } = readSettings(options.env);
      options.terminal.out(accountsConf({ prefix, partitions }).trimEnd());
    });
  program
    .command("verify")
    .description(
      "look for contradictions in stamps, redemptions, cashbacks and their events; fails if there are any",
    )
    .action(async () => {
      if (!(await verify(findDatabase(readSettings(options.env)), options.terminal))) options.exit(1);
    });
  addExamineCommands(program, options);
  addSecretCommands(program, options);
  addDeadLetterCommands(program, options);
  addListenCommand(program, options);
  addDemoCommand(program, options);
  return program;
}

function addSecretCommands(
  program: Command,
  { terminal, env, exit }: { terminal: Terminal; env: Environment; exit: (code: number) => void },
): void {
  program
    .command("secrets")
    .description("webhook secrets, and other secrets that are kept encrypted")
    .command("rotate")
    .description(
      "put all of them under the first of STAMPEDE_ENCRYPTION_KEYS; can be repeated, fails if one opens under no key",
    )
    .action(() => {
      const settings = readSettings(env);
      const secrets = requireEncryptionKeys(settings);
      return withDatabase(findDatabase(settings), async (store) => {
        if (!(await rotateWebhookKeys(store, secrets, terminal))) exit(1);
      });
    });
}

function addDeadLetterCommands(
  program: Command,
  { terminal, env, exit }: { terminal: Terminal; env: Environment; exit: (code: number) => void },
): void {
  const deadLetter = program
    .command("dead-letter")
    .description("events and messages that could not be processed (NATS_URL, or the running instance's)");
  deadLetter
    .command("list")
    .description(
      "one line each, tab-separated: sequence, time, reason, SQLSTATE, external_id, stream/partition/sequence",
    )
    .option("--json", "one JSON object a line, with all that is kept", false)
    .action(({ json }: { json: boolean }) =>
      withStream(readSettings(env), (stream) => listDeadLetters(stream, { json }, terminal)),
    );
  deadLetter
    .command("redrive")
    .description("put them back where they came from, once the cause is mended")
    .argument("[sequences...]", "which, by the first column of `dead-letter list`")
    .option("--all", "all of them", false)
    .action(async (sequences: string[], { all }: { all: boolean }) => {
      const selection = readSelection(sequences, all);
      const redriveThem = withStream(readSettings(env), (stream) =>
        redriveDeadLetters(stream, selection, terminal),
      );
      if (!(await redriveThem)) exit(1);
    });
}

function addListenCommand(
  program: Command,
  { terminal, env }: { terminal: Terminal; env: Environment },
): void {
  interface Flags {
    port: number;
    secret?: string;
    json: boolean;
  }
  program
    .command("listen")
    .description("receive webhooks on this machine, check their signatures and print each event as it comes")
    .addOption(
      new Option("--port <number>", "where to listen; 0 is a free one").default(9000).argParser(readPort),
    )
    .option(
      "--secret <whsec_...>",
      "of a webhook that is there; without it one of the running instance is made, and removed at the end",
    )
    .option("--json", "one JSON object a line", false)
    .action(async ({ port, secret, json }: Flags) => {
      const webhook = secret === undefined ? webhookToMake(env) : { secret };
      await listen({ port, json, webhook }, terminal, untilInterrupted());
    });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}

function webhookToMake(env: Environment): ListenRequest["webhook"] {
  const { dataDir } = readSettings(env);
  const instance = findRunningInstance(dataDir);
  if (instance === undefined) {
    throw new CommandError(
      `nothing runs on ${dataDir}: run \`npm start\` in another terminal, or give the --secret of a webhook`,
    );
  }
  return { publisherUrl: instance.publisherUrl, token: readTokenFile(instance) };
}

/** Ctrl-C, or a polite kill, ends the command in order; a second one at once. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function addDemoCommand(
  program: Command,
  { terminal, env, exit }: { terminal: Terminal; env: Environment; exit: (code: number) => void },
): void {
  program
    .command("demo")
    .description(
      "stream 10,000 sample events and their payments to the running instance and check every number",
    )
    .option("--run <tag>", "send an earlier run again: nothing may change")
    .action(async ({ run }: { run?: string }) => {
      if (run !== undefined && !/^[0-9a-z]{1,16}$/.test(run)) {
        throw new CommandError("--run takes the tag that an earlier run printed, such as mi8a2k3c");
      }
      const { dataDir } = readSettings(env);
      const instance = findRunningInstance(dataDir);
      if (instance === undefined) {
        throw new CommandError(
          `nothing runs on ${dataDir}: run \`npm start\` in another terminal, then this again`,
        );
      }
      const token = readTokenFile(instance);
      const { publisherUrl, databaseUrl } = instance;
      const platform = { url: instance.platformUrl, token: readPlatformTokenFile(instance) };
      if (!(await runDemo({ publisherUrl, databaseUrl, token, platform, terminal, run }))) exit(1);
    });
}
