import { readFileSync } from "node:fs";
import t from "tap";
import { lockfileProblems, manifestProblems } from "./lockfile-rules.ts";

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8"));

t.test("lock - the committed one keeps the rules: nats-server is installed on Node 20 as well", async (t) => {
  t.strictSame(lockfileProblems(read("package-lock.json")), []);
  t.strictSame(manifestProblems(read("package.json")), []);
});
