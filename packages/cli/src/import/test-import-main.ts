/** `stampede import` without the other commands, which are a third of the start of a process that a test kills at once. */
import { Command } from "commander";
import { addImportCommand } from "../commands/import.ts";
import { Terminal } from "../terminal.ts";

const program = new Command("stampede");
const exit = (code: number): void => {
  process.exitCode = code;
};
addImportCommand(program, { terminal: new Terminal(), env: process.env, exit });
await program.parseAsync();
