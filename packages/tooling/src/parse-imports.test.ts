import t from "tap";
import { hasComputedImport, importedNames, parseImports } from "./parse-imports.ts";

const specifiers = (source: string) => parseImports(source).map(({ specifier }) => specifier);

t.test("parse imports - every form of an import is found", async (t) => {
  for (const source of [
    'import "x";',
    'import a from "x";',
    'import * as a from "x";',
    'import a, { b } from "x";',
    'import { a, type B as C } from "x";',
    'import type { A } from "x";',
    'import type * as a from "x";',
    "import a from 'x'",
    'import {\n  a,\n  b,\n} from "x";',
    'import data from "x" with { type: "json" };',
    'export * from "x";',
    'export * as a from "x";',
    'export { a } from "x";',
    'export type { A } from "x";',
    'export {\n  a,\n  type B,\n} from "x";',
    'const a = await import("x");',
    "const a = await import(`x`);",
    'type A = import("x").A;',
    'const a = require("x");',
    'const a = createRequire(import.meta.url)("x");',
  ]) {
    t.strictSame(specifiers(source), ["x"], source);
  }
});

t.test("parse imports - text that only looks like an import is ignored", async (t) => {
  for (const source of [
    '// import a from "x";',
    '/* import a from "x"; */',
    ' * import("x")',
    'const sql = `select a from "x"`;',
    'export const sql = `\n  select a from "x"`;',
    'const text = "import a from x";',
    'export function from(a: string) { return a; }\nconst b = "x";',
    "export { a };\nconst b = 'from \"x\"';",
    'new URL("x", import.meta.url);',
  ]) {
    t.strictSame(specifiers(source), [], source);
  }
});

t.test("parse imports - all imports of a file are found, with their names", async (t) => {
  const source = [
    'import { createHash, hash as h, type Hash } from "node:crypto";',
    'import t, { type Test } from "tap";',
    'export * from "./a.ts";',
    "const b = 1;",
    'export { b, c as d } from "./c.ts";',
  ].join("\n");
  t.strictSame(
    parseImports(source).map(({ specifier, clause }) => [specifier, importedNames(clause)]),
    [
      ["node:crypto", ["createHash", "hash", "Hash"]],
      ["tap", ["*", "Test"]],
      ["./a.ts", ["*"]],
      ["./c.ts", ["b", "c"]],
    ],
  );
});

t.test("parse imports - an import of a computed name is noticed", async (t) => {
  t.ok(hasComputedImport("await import(name)"));
  t.ok(hasComputedImport("await import( join(a, b) )"));
  t.notOk(hasComputedImport('await import("x")'));
  t.notOk(hasComputedImport('import.meta.resolve("x")'));
  t.notOk(hasComputedImport("// import(name)"));
});
