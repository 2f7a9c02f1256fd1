import { explainFailure } from "./command-error.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

/** Runs the command that this process was started for. A failure is one line on stderr and exit code 1. */
export async function runCommand(): Promise<void> {
  const terminal = new Terminal();
  const exit = (code: number): void => {
    process.exitCode = code;
  };
  try {
    await createProgram({ terminal, env: process.env, exit }).parseAsync();
  } catch (error) {
    terminal.err(`stampede: ${explainFailure(error)}`);
    exit(1);
  }
}
