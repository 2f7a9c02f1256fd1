/** `npm run generate`: writes the generated files that the arguments name; `npm run check` compares them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GENERATED } from "./generated.ts";
import { ROOT } from "./root.ts";

for (const name of process.argv.slice(2)) {
  const generate = GENERATED[name];
  if (generate === undefined) throw new Error(`${name} is none of ${Object.keys(GENERATED).join(", ")}`);
  for (const { file, text } of await generate(ROOT)) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, file), text);
  }
}
