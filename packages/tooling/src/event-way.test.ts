import { readFileSync } from "node:fs";
import { posix } from "node:path";
import t from "tap";
import { readEntries } from "./import-rules.ts";
import { importedNames, parseImports } from "./parse-imports.ts";
import { ROOT } from "./root.ts";
import { readSourceTree } from "./tracked-files.ts";

/** The list "One event, file by file" of docs/ARCHITECTURE.md, held to the sources. */
const HEADING = "## One event, file by file";
const text = readFileSync(`${ROOT}docs/ARCHITECTURE.md`, "utf8");
const [section = ""] = text.slice(text.indexOf(HEADING)).split(/\n## /);
const parts = section.split(/^\*\*(\w+)\*\*$/m).slice(1);
/** The files of each process, in their order. */
const ways = parts.flatMap((part, i) => {
  if (i % 2 === 1) return [];
  const lines = (parts[i + 1] as string).matchAll(/^\d+\. `([^`]+)`/gm);
  return [[part, Array.from(lines, ([, file]) => file as string)] as const];
});

const tree = readSourceTree(ROOT);
const doors = readEntries(ROOT);

/** The files that an import leads to; through a package's entry, those that define the imported names. */
function targetsOf(file: string): string[] {
  const source = tree.get(file) ?? "";
  const workers = [...source.matchAll(/new URL\("(\.[^"]+)\.js"/g)].map(([, path]) => `${path}.ts`);
  const named = workers.map((specifier) => ({ specifier, clause: "" }));
  return [...parseImports(source), ...named].flatMap(({ specifier, clause }) => {
    if (specifier.startsWith(".")) return [posix.join(posix.dirname(file), specifier)];
    const door = doors[specifier];
    return door === undefined ? [] : behind(door, importedNames(clause));
  });
}

function behind(door: string, names: readonly string[]): string[] {
  return parseImports(tree.get(door) ?? "").flatMap(({ specifier, clause }) => {
    const isTaken = importedNames(clause).some((name) => names.includes(name));
    return isTaken || clause === "" ? [posix.join(posix.dirname(door), specifier)] : [];
  });
}

function isImported(file: string, by: readonly string[]): boolean {
  return by.some((one) => targetsOf(one).includes(file));
}

t.test("the way of one event - a file out of order is found", async (t) => {
  const [, files = []] = ways[1] ?? [];
  t.notOk(isImported(files.at(-1) as string, [files[0] as string]));
});

t.test("the way of one event is listed in five processes", async (t) => {
  t.strictSame(
    ways.map(([process]) => process),
    ["edge", "ingest", "platform", "rewards", "webhooks"],
  );
  t.comment(`${ways.reduce((sum, [, files]) => sum + files.length, 0)} files`);
});

for (const [process, files] of ways) {
  t.test(
    `the way of one event - ${process}: every file exists, and follows from an earlier one`,
    async (t) => {
      const before = [`services/${process}/src/service.ts`];
      for (const file of files) {
        t.ok(tree.has(file), `${file} is there`);
        t.ok(isImported(file, before), `${file} follows`);
        before.push(file);
      }
    },
  );
}
