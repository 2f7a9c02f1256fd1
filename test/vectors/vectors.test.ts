import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";

/**
 * The vectors are committed so that a clone is complete; if the shared folder is at hand, both must be equal.
 */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const committed = join(root, "test", "vectors");
const shared = join(root, "..", "shared", "vectors");

const vectorFiles = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".json"))
    .sort();

const read = (dir: string, name: string): unknown => JSON.parse(readFileSync(join(dir, name), "utf8"));

t.test("vectors - a clone contains them", async (t) => {
  t.strictSame(vectorFiles(committed), ["transaction-identifiers.json", "webhook-signature.json"]);
});

t.test(
  "vectors - the committed ones equal the shared ones",
  { skip: existsSync(shared) ? false : "the shared folder is not beside this checkout" },
  async (t) => {
    t.strictSame(vectorFiles(committed), vectorFiles(shared));
    for (const name of vectorFiles(shared)) t.strictSame(read(committed, name), read(shared, name), name);
  },
);
