/** `npm run generate`: writes what is generated and named by the arguments; `npm run check` compares it. */
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
