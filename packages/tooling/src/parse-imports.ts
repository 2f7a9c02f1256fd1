/** One place where a file names another module. */
export interface ImportStatement {
  readonly specifier: string;
  /** The text between `import` and `from`; empty for `import "x"` and `import("x")`. */
  readonly clause: string;
}

/*
 * TypeScript 7 has no compiler API, so these read the text. The formatter guarantees one form: static imports
 * and re-exports begin their line, and no clause can hold a quote, a bracket or a semicolon.
 */
const STATIC = /^(?:import|export)\s+((?:type\s+)?[\w$*{][\w$*{},\s]*?)\s*from\s*["']([^"'\n]+)["']/gm;
const BARE = /^import\s*["']([^"'\n]+)["']/gm;
const CALLED = /\b(?:import|require|createRequire\([^()\n]*\))\s*\(\s*["'`]([\w@#./:-]+)["'`]\s*\)/g;
const COMPUTED = /(?<![\w.$"'`])import\s*\(\s*(?!["'`])/;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

/** Every module that a TypeScript source names, types and dynamic imports included. */
export function parseImports(source: string): ImportStatement[] {
  const code = source.replaceAll(COMMENT, "");
  const found: ImportStatement[] = [];
  for (const [, clause = "", specifier = ""] of code.matchAll(STATIC)) found.push({ specifier, clause });
  for (const [, specifier = ""] of code.matchAll(BARE)) found.push({ specifier, clause: "" });
  for (const [, specifier = ""] of code.matchAll(CALLED)) found.push({ specifier, clause: "" });
  return found;
}

/** Whether a source imports a module whose name is known only at run time, which no rule can check. */
export function hasComputedImport(source: string): boolean {
  return COMPUTED.test(source.replaceAll(COMMENT, ""));
}

/** The names that a clause takes: `{ hash as h, type Hash }` → hash, Hash; a default or a namespace → `*`. */
export function importedNames(clause: string): string[] {
  const named = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  const names = named
    .split(",")
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+/)[0] as string,
    )
    .filter((name) => name !== "");
  const rest = clause
    .replace(/\{[^}]*\}/, "")
    .replace(/^type\b/, "")
    .replaceAll(/[\s,]/g, "");
  return rest === "" ? names : ["*", ...names];
}
