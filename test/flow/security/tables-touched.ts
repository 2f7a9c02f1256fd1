import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const DOORS: Readonly<Record<string, string>> = {
  "#postgres": "packages/postgres/src/index.ts",
  "#publisher-db": "packages/publisher-db/src/index.ts",
  "#platform-db": "packages/platform-db/src/index.ts",
};

/** What a role may do to a table: SELECT, INSERT, UPDATE (a row lock too), DELETE. */
export type Verb = "r" | "i" | "u" | "d";

/** The tables of one service. */
export interface Touched {
  /** The rights that its statements need, as far as their text shows. */
  readonly needs: ReadonlyMap<string, ReadonlySet<Verb>>;
  /** Tables in files that lock rows: the lock alone may need UPDATE. */
  readonly mayLock: ReadonlySet<string>;
}

/**
 * Reads from the sources which tables a service's statements touch: its own sources, those that it imports
 * from the database packages, and those that these import. Works by file, so all operations of a file count
 * together.
 */
export function tablesTouched(service: string, tables: ReadonlySet<string>): Touched {
  const needs = new Map<string, Set<Verb>>();
  const mayLock = new Set<string>();
  for (const file of storeFilesOf(service)) {
    const text = withoutComments(readFileSync(join(ROOT, file), "utf8"));
    const schema = /^(packages\/platform-db|services\/platform)\//.test(file) ? "platform" : "public";
    const locks = /for (no key )?update|for (key )?share/.test(text);
    for (const [verb, name] of verbsIn(text)) {
      const table = tables.has(name) ? name : `${schema}.${name}`;
      if (!tables.has(table)) continue;
      needs.set(table, (needs.get(table) ?? new Set<Verb>()).add(verb));
      if (locks) mayLock.add(table);
    }
  }
  return { needs, mayLock };
}

/** In TypeScript other text follows names; the caller drops words that are no tables. */
const PATTERNS: ReadonlyArray<readonly [Verb, RegExp]> = [
  ["i", /\binsert\s+into\s+([\w.]+)/g],
  ["i", /\bcopy\s+([\w.]+)\s*\(/g],
  ["u", /\binsert\s+into\s+([\w.]+)(?:(?!\binsert\s+into|`;)[\s\S])*?\bon\s+conflict[^`]*?\bdo\s+update/g],
  ["r", /\binsert\s+into\s+([\w.]+)(?:(?!\binsert\s+into|`;)[\s\S])*?\b(?:on\s+conflict\s*\(|returning\b)/g],
  ["u", /(?<!\b(?:for|key|do)\s+)\bupdate\s+([\w.]+)/g],
  ["d", /\bdelete\s+from\s+([\w.]+)/g],
  ["r", /(?<!\bdelete\s+)\b(?:from|join|using)\s+([\w.]+)/g],
];

function verbsIn(text: string): Array<readonly [Verb, name: string]> {
  return PATTERNS.flatMap(([verb, pattern]) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => [verb, name] as const),
  );
}

function storeFilesOf(service: string): ReadonlySet<string> {
  const files = new Set<string>();
  const sources = readdirSync(join(ROOT, `services/${service}/src`), { recursive: true, encoding: "utf8" });
  for (const name of sources) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts") || name.includes("test-")) continue;
    follow(join("services", service, "src", name), files);
  }
  return files;
}

function follow(file: string, into: Set<string>): void {
  if (into.has(file)) return;
  into.add(file);
  const text = readFileSync(join(ROOT, file), "utf8");
  for (const [specifier, names] of valueImports(text)) {
    const targets = specifier.startsWith(".")
      ? [relative(ROOT, join(ROOT, dirname(file), specifier))]
      : specifier in DOORS
        ? behindTheDoor(DOORS[specifier] as string, names)
        : [];
    for (const target of targets) follow(target, into);
  }
}

/** The files from which an index takes these names. */
function behindTheDoor(door: string, names: readonly string[]): string[] {
  const text = readFileSync(join(ROOT, door), "utf8");
  return [...text.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)].flatMap(
    ([, exported = "", specifier = ""]) =>
      namesOf(exported).some((name) => names.includes(name)) ? [join(dirname(door), specifier)] : [],
  );
}

function valueImports(text: string): Array<readonly [specifier: string, names: readonly string[]]> {
  return [...text.matchAll(/import \{([^}]*)\} from "([^"]+)"/g)]
    .map(([, names = "", specifier = ""]) => [specifier, namesOf(names)] as const)
    .filter(([, names]) => names.length > 0);
}

function namesOf(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/ as .*/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/(^|\s)\/\/.*$/gm, " ");
}
