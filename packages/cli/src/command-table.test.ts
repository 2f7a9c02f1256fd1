import { readFileSync } from "node:fs";
import type { Command } from "commander";
import t from "tap";
import { SERVICE_NAMES } from "#contract";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

const PAGE = readFileSync(new URL("../../../../docs/operations/commands.md", import.meta.url), "utf8");

/** Every command that does something by itself, such as `token create`, and `console` as well as `console link`. */
function leaves(command: Command, path: readonly string[] = []): string[] {
  const name = path.join(" ");
  if (command.commands.length === 0) return [name];
  const below = command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
  return (SERVICE_NAMES as readonly string[]).includes(name) ? [name, ...below] : below;
}

/** The commands in the first column of the table under "All commands", without their options. */
function commandsOfPage(): Set<string> {
  const [, section = ""] = /^## All commands\n(.*?)^## /ms.exec(PAGE) ?? [];
  const cells = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell);
  const names = cells.flatMap((cell) => [...cell.matchAll(/`(.*?)`/g)].map(([, text = ""]) => text));
  return new Set(names.map((name) => name.split(" --")[0] as string));
}

t.test("commands - the table of the page has every command and no other", async (t) => {
  const program = createProgram({ terminal: new Terminal(), env: {}, exit: () => {} });
  t.strictSame([...commandsOfPage()].sort(), leaves(program).sort());
});
