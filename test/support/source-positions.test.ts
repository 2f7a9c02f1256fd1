import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { inSources } from "./source-positions.ts";

const dist = fileURLToPath(new URL("../../", import.meta.url));

/** The position of a text in a file, in a stack's notation. */
function placeOf(file: string, text: string): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.findIndex((one) => one.includes(text));
  return `${line + 1}:${(lines[line] ?? "").indexOf(text) + 1}`;
}

t.test(
  "places - places in a compiled file become places in its source, however the file is named",
  async (t) => {
    const name = "test/support/source-positions";
    const text = "inSources(text";
    const compiled = placeOf(`${dist}${name}.js`, text);
    const source = placeOf(`${dist}../${name}.ts`, text);
    for (const place of [`file://${dist}${name}.js`, `${dist}${name}.js`, `dist/${name}.js`]) {
      t.equal(inSources(`at inSources (${place}:${compiled})`, dist), `at inSources (${name}.ts:${source})`);
    }
  },
);

t.test("places - any other path stays unchanged", async (t) => {
  for (const text of [
    "dist/nothing/there.js:1:2",
    "node:internal/process:1:2",
    "node_modules/tap/dist/x.js:3:4",
  ]) {
    t.equal(inSources(text, dist), text);
  }
});
