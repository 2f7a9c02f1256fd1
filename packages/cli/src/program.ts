import { readFileSync } from "node:fs";
import { Command } from "commander";
import { accountsConf } from "#nats";
import { findUnknown, readSettings } from "#runtime";
import { explainFailure } from "./command-error.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addConsoleLinkCommand, addConsoleSessionsCommand } from "./commands/console-link.ts";
import { addDeadLetterCommands } from "./commands/dead-letters.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand } from "./commands/import.ts";
import { addListenCommand } from "./commands/listen.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addReplayCommands } from "./commands/replay.ts";
import { addSecretCommands } from "./commands/rotate-webhook-keys.ts";
import { addSimulateCommand } from "./commands/simulate.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addTokenCommands } from "./commands/tokens.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import { addDoctorCommand, without } from "./doctor/doctor.ts";
import { addServiceCommands, runService } from "./service-commands.ts";
import { type CommandContext, Terminal } from "./terminal.ts";

const { version: VERSION } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** 128 and the number of SIGPIPE. */
const EXIT_BROKEN_PIPE = 141;

/** Runs the command of this process's arguments. A failure is one line on stderr and exit code 1. */
export async function runCommand(): Promise<void> {
  const terminal = new Terminal();
  endWithReader();
  const exit = (code: number): void => {
    process.exitCode = code;
  };
  try {
    // For a service an unknown variable is an error, because a typing error must not leave a default in force. The shell of a
    // command may have variables of other programs, such as NATS' passwords: a warning names them.
    const unknown = findUnknown(process.env);
    for (const { problem } of unknown) terminal.err(`stampede: warning: ${problem}`);
    const env = without(process.env, unknown);
    await createProgram({ terminal, env, givenEnv: process.env, exit }).parseAsync();
  } catch (error) {
    terminal.err(`stampede: ${explainFailure(error)}`);
    exit(1);
  }
}

/**
 * Ends the command without a message when its reader has gone, as in `stampede listen | head`. Node ignores the signal that
 * ends other programs then; the exit code is the one that shells give for it.
 */
function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      // Messages on stderr may get lost; an import, whose result is in its files, goes on.
      if (stream === process.stdout) process.exit(EXIT_BROKEN_PIPE);
    });
  }
}

/** The command line. Its actions throw errors, for `explainFailure`; some call `exit` after a report that says why. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("stampede")
    .description("Operates a Stampede installation.")
    .version(VERSION)
    .showHelpAfterError("(stampede --help lists the commands)");
  addServiceCommands(program, runService);
  addConsoleLinkCommand(program, context);
  addConsoleSessionsCommand(program, context);
  addTokenCommands(program, context);
  addMigrateCommand(program, context);
  program
    .command("nats-accounts")
    .description(
      "print accounts.conf for NATS: the users and their rights, for STAMPEDE_PARTITIONS and STAMPEDE_STREAM_PREFIX",
    )
    .action(() => {
      const { streamPrefix: prefix, partitions } = readSettings(context.env);
      context.terminal.out(accountsConf({ prefix, partitions }).trimEnd());
    });
  addVerifyCommand(program, context);
  addConfigCommand(program, context);
  addDoctorCommand(program, context);
  addSecretCommands(program, context);
  addDeadLetterCommands(program, context);
  addReplayCommands(program, context);
  addStatusCommand(program, context);
  addListenCommand(program, context);
  addSimulateCommand(program, context);
  addImportCommand(program, context);
  addExportCommand(program, context);
  addDemoCommand(program, context);
  return program;
}
