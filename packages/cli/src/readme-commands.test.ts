import { readFileSync } from "node:fs";
import type { Command } from "commander";
import t from "tap";
import { SERVICE_NAMES } from "#contract";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");

/** Every command that does something by itself, such as `token create`, and `console` as well as `console link`. */
function leaves(command: Command, path: readonly string[] = []): string[] {
  const name = path.join(" ");
  if (command.commands.length === 0) return [name];
  const below = command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
  return (SERVICE_NAMES as readonly string[]).includes(name) ? [name, ...below] : below;
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
