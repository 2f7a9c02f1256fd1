import type { Environment } from "#runtime";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

/** The result of a command. */
interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/**
 * For tests: runs the command in this process and captures its output. Rejects with what its action throws.
 */
export async function runCommand(args: readonly string[], env: Environment): Promise<CommandResult> {
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
  await createProgram({ terminal, env, exit }).parseAsync([...args], { from: "user" });
  return result;
}
