import { readFileSync } from "node:fs";
import t from "tap";
import { validatorsSource } from "./validators-source.ts";

t.test("validators - the build's file equals the validators of the present schemas", async (t) => {
  const built = readFileSync(new URL("../validation/validators.js", import.meta.url), "utf8");
  t.ok(built === validatorsSource(), "run `npm run build`");
});

t.test("validators - they need no library when they run", async (t) => {
  t.notMatch(validatorsSource(), /require\(|from "ajv/);
});
