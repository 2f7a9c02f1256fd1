import { readFileSync } from "node:fs";
import type { Command } from "commander";
import t from "tap";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");

/** Every command without subcommands, such as `token create`. */
function leaves(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(" ")];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

/** The commands in the first column of the table under "The `stampede` command", without their options. */
function commandsOfReadme(): Set<string> {
  const [, section = ""] = /^## The `stampede` command\n(.*?)(?:^## |$(?![\s\S]))/ms.exec(README) ?? [];
  const cells = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`(.*?)`/g)].map(([, text = ""]) => text));
  return new Set(names.map((name) => name.split(" --")[0] as string));
}

t.test("commands - README's table has every command and no other", async (t) => {
  const program = createProgram({ terminal: new Terminal(), env: {}, exit: () => {} });
  t.strictSame([...commandsOfReadme()].sort(), leaves(program).sort());
});
