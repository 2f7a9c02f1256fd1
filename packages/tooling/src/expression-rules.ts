import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Expression, type Node, parse } from "acorn";
import { simple } from "acorn-walk";
import { analyse } from "scslre";
import { isTest, readSourceTree } from "./tracked-files.ts";

/** A regular expression of a file; undefined as `source`: it is built at run time. */
export interface FoundExpression {
  readonly source: string | undefined;
  readonly flags: string;
}

interface AcceptedExpression {
  readonly path: string;
  /** The text between the slashes; undefined: the expression that is built at run time. */
  readonly source: string | undefined;
  /** Why no caller can make it slow. */
  readonly reason: string;
}

const ACCEPTED: readonly AcceptedExpression[] = [
  {
    path: "packages/cli/src/commands/listen.ts",
    source: undefined,
    reason: "of `--events` on the user's own command line, and it is tried only on the names of event types",
  },
  {
    path: "packages/cli/src/import/time-format.ts",
    source: undefined,
    reason: "each field of a format has a fixed number of digits, so nothing in it repeats without a bound",
  },
  {
    path: "packages/contract/src/find-violations.ts",
    source: undefined,
    reason: "of the schemas' patterns, which stand in the validators too, where every body meets them first",
  },
  {
    path: "packages/postgres/src/statement-operation.ts",
    source: String.raw`(?<!\bepoch\s+)\b(?:from|join)\s+(?:lateral\s+)?(?!lateral\b)(?<table>[a-z_]+(?:\.[a-z_]+)?)(?![\w.]|\s*\()`,
    reason: "it reads the statements that stand in the sources; what callers send is a parameter",
  },
];

/** Product code only: code that runs in a test or in CI has no caller. */
const NOT_PRODUCT = /^(?:bench|examples|packages\/tooling)\//;

/** Regular expressions of product code that may take longer than linear time in their text. */
export function slowExpressionProblems(root: string): string[] {
  const paths = [...readSourceTree(root).keys()].filter((path) => !isTest(path) && !NOT_PRODUCT.test(path));
  const compiled = paths.flatMap((path): [string, string][] => {
    // TypeScript 7 has no compiler API, so this reads its output; for a declaration, the file that the build
    // made for it.
    const file = join(root, path.endsWith("js") ? path : `dist/${path.replace(/(?:\.d)?\.tsx?$/, ".js")}`);
    return existsSync(file) ? [[path, readFileSync(file, "utf8")]] : [];
  });
  if (compiled.length < paths.length) return ["not all sources are compiled; run `npm run build`"];
  return expressionProblems(compiled, ACCEPTED);
}

/** @param files JavaScript, by the path of its source */
export function expressionProblems(
  files: Iterable<readonly [path: string, code: string]>,
  accepted: readonly AcceptedExpression[],
): string[] {
  const unused = new Set(accepted);
  const problems: string[] = [];
  for (const [path, code] of files) {
    for (const { source, flags } of expressionsOf(code)) {
      const problem = source === undefined ? MADE_LATER : superLinear(source, flags);
      if (problem === undefined) continue;
      const reason = accepted.find((one) => one.path === path && one.source === source);
      if (reason === undefined) problems.push(`${path}: ${problem}`);
      else unused.delete(reason);
    }
  }
  const left = [...unused].map(
    ({ path, source }) => `${path}: /${source ?? "…"}/ is accepted, and is not there`,
  );
  return [...problems, ...left];
}

const MADE_LATER =
  "an expression that is put together when the program runs cannot be analysed; accept it with a reason";

/** Why it may take longer than linear time in its text; undefined: it does not. */
function superLinear(source: string, flags: string): string | undefined {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } });
  const [first] = reports;
  if (first === undefined) return undefined;
  const growth = reports.some(({ exponential }) => exponential) ? "exponentially" : "as a power of it";
  return `/${source}/${flags} grows ${growth} with a text of many ${JSON.stringify(first.character.pick)}`;
}

/** Literals, and the argument of `RegExp`, as far as it is constant. */
export function expressionsOf(code: string): FoundExpression[] {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
  const constants = new Map<string, Expression>();
  const found: FoundExpression[] = [];
  const made = (callee: Node, [pattern, flags]: readonly Node[]) => {
    if (!("name" in callee) || callee.name !== "RegExp") return;
    const given = flags === undefined ? "" : textOf(flags, constants);
    const source = pattern === undefined ? undefined : textOf(pattern, constants);
    found.push(given === undefined ? { source: undefined, flags: "" } : { source, flags: given });
  };
  // Constants are collected first: a function may come before those that it uses.
  simple(program, {
    VariableDeclaration({ kind, declarations }) {
      for (const { id, init } of kind === "const" ? declarations : []) {
        // One name for two things is a constant of neither.
        if (id.type === "Identifier" && init)
          constants.has(id.name) ? constants.delete(id.name) : constants.set(id.name, init);
      }
    },
  });
  simple(program, {
    Literal({ regex }) {
      if (regex) found.push({ source: regex.pattern, flags: regex.flags });
    },
    NewExpression: (node) => made(node.callee, node.arguments),
    CallExpression: (node) => made(node.callee, node.arguments),
  });
  return found;
}

/** The text of a constant expression; undefined: it is not one. */
function textOf(node: Node, constants: ReadonlyMap<string, Expression>): string | undefined {
  const expression = node as Expression;
  switch (expression.type) {
    case "Literal":
      return expression.regex?.pattern ?? String(expression.value);
    case "Identifier": {
      const constant = constants.get(expression.name);
      return constant && textOf(constant, constants);
    }
    case "BinaryExpression": {
      const [left, right] = [textOf(expression.left, constants), textOf(expression.right, constants)];
      if (expression.operator !== "+" || left === undefined || right === undefined) return undefined;
      const areNumbers = [left, right].every((text) => /^\d+$/.test(text));
      return areNumbers ? String(Number(left) + Number(right)) : left + right;
    }
    case "TemplateLiteral": {
      const parts = expression.expressions.map((part) => textOf(part, constants));
      if (parts.includes(undefined)) return undefined;
      return expression.quasis.map(({ value }, i) => (value.cooked ?? "") + (parts[i] ?? "")).join("");
    }
    default:
      return undefined;
  }
}
