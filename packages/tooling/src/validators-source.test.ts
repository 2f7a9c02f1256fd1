import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ROOT } from "./root.ts";
import { VALIDATORS_FILE, validatorsSource } from "./validators-source.ts";

t.test("validators - the committed ones are what the schemas say", async (t) => {
  t.ok(
    readFileSync(join(ROOT, VALIDATORS_FILE), "utf8") === validatorsSource(),
    "run `npm run generate` and commit",
  );
});

t.test("validators - they are equal for equal schemas, and need no library when they run", async (t) => {
  const source = validatorsSource();
  t.ok(source === validatorsSource());
  t.notMatch(source, /require\(|from "ajv/);
});
