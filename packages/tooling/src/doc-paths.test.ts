import t from "tap";
import { anchorsOf, docPathProblems } from "./doc-paths.ts";

const paths = new Set([
  "README.md",
  "docs",
  "docs/a.md",
  "docs/b.md",
  "packages/store",
  "packages/store/x.ts",
  "test/y.test.ts",
]);
const problems = (text: string) =>
  docPathProblems("docs/a.md", text, paths, () => anchorsOf("# A b\n## `Code`: and, marks\n"));

t.test("doc paths - links to existing files are fine", async (t) => {
  for (const text of [
    "[b](b.md)",
    "[root](../README.md)",
    "[folder](../packages/store/)",
    "[heading](#a-b), [other](b.md#code-and-marks)",
    "[site](https://example.com/none.md), [mail](mailto:a@example.com)",
    "`[no link](none.md)`",
    "```\n[no link](none.md) `packages/none.ts`\n```",
  ]) {
    t.strictSame(problems(text), [], text);
  }
});

t.test("doc paths - a link to a missing file is found, with its line", async (t) => {
  t.strictSame(problems("one\n[b](none.md)"), [
    "docs/a.md:2: links to none.md, and there is no docs/none.md",
  ]);
  t.strictSame(problems("[b](../none/)"), ["docs/a.md:1: links to ../none/, and there is no none/"]);
  t.strictSame(problems("[b](b.md#none)"), [
    "docs/a.md:1: links to b.md#none, and docs/b.md has no such heading",
  ]);
});

t.test("doc paths - paths in code marks must exist in the checkout", async (t) => {
  for (const text of [
    "`packages/store/x.ts`",
    "`packages/store/`",
    "`packages/store/x.ts:12`",
    "`npm test -- test/y.test.ts`",
    "`ROUNDS=3 npm test -- test/y`",
    "`packages/store/*.ts`",
    "`packages/{store/x,store/x}.ts`",
    "`packages/<name>/src` and `other/none.ts` and `application/json`",
  ]) {
    t.strictSame(problems(text), [], text);
  }
  for (const missing of ["packages/none.ts", "test/none.test.ts", "packages/store/*.sql"]) {
    const said = [`docs/a.md:1: names ${missing}, and there is no such file or folder`];
    t.strictSame(problems(`see \`${missing}\``), said);
    t.strictSame(problems(`\`npm test -- ${missing}\``), said);
  }
  t.match(problems("`packages/store/{x,none}.ts` and `test/y`"), [
    /names packages\/store\/none.ts,/,
    /names test\/y,/,
  ]);
});
