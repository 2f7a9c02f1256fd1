import { readFileSync } from "node:fs";
import t from "tap";
import { declaredSettings } from "./read-settings.ts";

const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");

/** The names in the first column of the table under `## Settings`, in their order. */
function settingsOfReadme(): string[] {
  const section = /^## Settings\n(.*?)^## /ms.exec(README)?.[1] ?? "";
  return [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = ""]) => name),
  );
}

t.test("settings - README's table has every setting once, and nothing else", async (t) => {
  const declared = declaredSettings().map(({ key }) => key);
  t.strictSame(settingsOfReadme().sort(), [...declared].sort());
});

t.test("settings - README names every secret that may be in a file", async (t) => {
  const [, list = ""] = /A secret \((.*?)\) may be in a file/s.exec(README) ?? [];
  const named = [...list.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  const secrets = declaredSettings().filter(({ secret }) => secret);
  t.strictSame(named.sort(), secrets.map(({ key }) => key).sort());
});
