import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ROOT } from "../root.ts";
import { changesOf, versionProblems } from "./versions.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const { version } = JSON.parse(read("package.json")) as { version: string };

t.test("versions - every place names the version of package.json", async (t) => {
  t.strictSame(versionProblems(version, read), []);
});

t.test("versions - a forgotten place is found", async (t) => {
  const problems = versionProblems("9.8.7", read);
  t.equal(problems.length, 5);
  t.match(problems[0], `packages/client/package.json: names ${version}, and package.json 9.8.7`);
  t.match(versionProblems(version, () => "")[0], /names no version/);
});

t.test("changes - are the text of the version's own section", async (t) => {
  const text = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n- new\n\n## 0.1.0\n\n- first\n";
  t.equal(changesOf("0.2.0", text), "- new");
  t.equal(changesOf("0.1.0", text), "- first");
  t.equal(changesOf("0.3.0", text), undefined);
});
