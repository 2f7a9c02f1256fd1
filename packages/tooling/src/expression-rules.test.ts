import t from "tap";
import { expressionProblems, expressionsOf, slowExpressionProblems } from "./expression-rules.ts";
import { ROOT } from "./root.ts";

const problemsOf = (code: string) => expressionProblems([["a.ts", code]], []);

/** The expression with which an organisation stopped an edge, by a field of 3,200 blanks. */
const CUBIC = String.raw`/^\s*([^\s=;]+)\s*(?:=\s*("?)([^";]*?)\2\s*)?(?:;|$)/`;

t.test(
  "expressions - one whose time is a power of its text's length is found, however it is written",
  async (t) => {
    for (const code of [
      `const PREFERENCE = ${CUBIC};`,
      "export const f = (text) => /a*a*b/.test(text);",
      "text.replace(/ +$/, '');",
      "/(?:a+)+b/u.exec(text);",
      'new RegExp("a*a*b", "u");',
      'const validator = { pattern: RegExp("^(a+)+$") };',
      `const MANY = "a*"; const SHAPE = new RegExp(\`^\${MANY}a*b\`);`,
      'const SHAPE = new RegExp("^" + MANY + "a*b"); const MANY = "a*";',
    ]) {
      t.match(problemsOf(code), [/^a\.ts: \/.* grows (?:exponentially|as a power of it) /], code);
    }
  },
);

t.test("expressions - linear and bounded ones pass", async (t) => {
  for (const code of [
    "/^[a-z]+$/.test(text);",
    "/^a{0,9}b/.test(text); /(?<!\\/)\\/+$/.test(text);",
    `const LENGTH = 40 + 3; const P = "stp_"; new RegExp(\`^\${P}[0-9A-Za-z]{\${LENGTH}}$\`);`,
    'const text = "/a*a*b/"; // /a*a*b/',
    "const half = total / 2 / parts;",
  ]) {
    t.strictSame(problemsOf(code), [], code);
  }
});

t.test("expressions - constants are put together as the program would", async (t) => {
  const code = `const N = 40 + 3; const P = "x"; new RegExp(\`^\${P}{\${N}}$\`, "i"); /y/g;`;
  t.strictSame(expressionsOf(code), [
    { source: "^x{43}$", flags: "i" },
    { source: "y", flags: "g" },
  ]);
});

t.test("expressions - an expression that is put together at run time must be accepted", async (t) => {
  for (const code of [
    "const f = (text) => new RegExp(text);",
    "let P = 'a'; new RegExp(P);",
    "const f = () => { const P = 'a'; }; const g = () => { const P = 'b*b*c'; return new RegExp(P); };",
  ]) {
    t.match(problemsOf(code), [/cannot be analysed/], code);
  }
});

t.test("expressions - an accepted one passes in its file alone, and only while it exists", async (t) => {
  const accepted = [{ path: "a.ts", source: "a*a*b", reason: "a test" }];
  const code = "/a*a*b/.test(text);";
  t.strictSame(expressionProblems([["a.ts", code]], accepted), []);
  t.match(expressionProblems([["b.ts", code]], accepted), [
    /^b\.ts: /,
    /^a\.ts: .* is accepted, and is not there$/,
  ]);
});

t.test("expressions - no expression of the product is slow, those of the schemas included", async (t) => {
  t.strictSame(slowExpressionProblems(ROOT), []);
});
