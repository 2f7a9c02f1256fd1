import { readFileSync } from "node:fs";
import t from "tap";
import { declaredSettings } from "./read-settings.ts";

const README = readFileSync(new URL("../../../../../README.md", import.meta.url), "utf8");

t.test("settings - README has six, all of which are declared", async (t) => {
  const [, section = ""] = /^## Six settings\n(.*?)^## /ms.exec(README) ?? [];
  const shown = [...section.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = ""]) => name);
  t.equal(shown.length, 6);
  const declared = declaredSettings().map(({ key }) => key);
  for (const name of shown) t.ok(declared.includes(name), name);
});

t.test("settings - README fits on a hundred and twenty lines", async (t) => {
  t.ok(README.trimEnd().split("\n").length <= 120);
});
