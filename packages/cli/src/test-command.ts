import type { Environment } from "#runtime";
import { explainFailure } from "./command-error.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

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
  const result: CommandResult = { code: 0, out: "", err: "" };
  const catching = (where: "out" | "err") => ({
    write: (text: string) => {
      result[where] += text;
    },
  });
  const exit = (code: number) => {
    result.code = code;
  };
  const terminal = new Terminal(catching("out"), catching("err"));
  try {
    await createProgram({ terminal, env, exit }).parseAsync([...args], { from: "user" });
    return { result, error: undefined };
  } catch (error) {
    return { result, error };
  }
}
