import { type Command, Option } from "commander";
import { SERVICE_NAMES, type ServiceName } from "#contract";
import type { Environment } from "#runtime";
import { checkConfig } from "./commands/check-config.ts";
import { runDoctor } from "./commands/run-doctor.ts";
import { showConfig } from "./commands/show-config.ts";
import type { Terminal } from "./terminal.ts";

interface ExamineOptions {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly exit: (code: number) => void;
}

/** `config` and `doctor`: what look, and change nothing. */
export function addExamineCommands(program: Command, { terminal, env, exit }: ExamineOptions): void {
  interface ConfigFlags {
    check: boolean;
    json: boolean;
    service?: ServiceName;
  }
  program
    .command("config")
    .description("print every setting: its value (secrets are hidden), where it comes from, what it is for")
    .option("--check", "print nothing but what is wrong; fails if anything is", false)
    .option("--json", "one JSON document", false)
    .addOption(
      new Option("--service <name>", "look at what this service needs as well").choices(SERVICE_NAMES),
    )
    .action(({ check, json, service }: ConfigFlags) => {
      const isValid = checkConfig({ env, service, json: json && check, isQuiet: !check }, terminal);
      if (!isValid) exit(1);
      else if (!check) showConfig(env, { json }, terminal);
    });
  program
    .command("doctor")
    .description(
      "look at the machine, the servers, the streams and the keys, and say what to do; changes nothing, fails if a check does",
    )
    .option("--json", "one JSON document", false)
    .action(async ({ json }: { json: boolean }) => {
      if (!(await runDoctor({ env, json }, terminal))) exit(1);
    });
}
