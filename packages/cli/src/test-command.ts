import type { Environment } from "#runtime";
import { explainFailure } from "./command-error.ts";
import { createProgram } from "./program.ts";
import { keptTerminal } from "./test-terminal.ts";

/** The result of a command. */
interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** For tests: runs the command in this process and captures its output. Rejects with the error of its action. */
export async function runCommand(args: readonly string[], env: Environment): Promise<CommandResult> {
  const { result, error } = await settle(args, env);
  if (error !== undefined) throw error;
  return result;
}

/** For tests: the same, but an error ends in a message and exit code 1, as in a process of its own. */
export async function command(args: readonly string[], env: Environment = {}): Promise<CommandResult> {
  const { result, error } = await settle(args, env);
  if (error === undefined) return result;
  return { ...result, code: 1, err: `${result.err}stampede: ${explainFailure(error)}\n` };
}

async function settle(args: readonly string[], env: Environment) {
  const { said, terminal } = keptTerminal();
  let code = 0;
  const exit = (given: number) => {
    code = given;
  };
  let error: unknown;
  try {
    await createProgram({ terminal, env, exit }).parseAsync([...args], { from: "user" });
  } catch (thrown) {
    error = thrown;
  }
  return { result: { code, ...said }, error };
}
