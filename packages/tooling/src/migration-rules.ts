import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Operations that a migration must avoid while the previous version runs next to the new one and requests
 * come in. It reads SQL as text: it knows the forms of our migrations, and takes unknown ones for harmless.
 */

interface Rule {
  readonly breaks: RegExp;
  readonly why: string;
  /** Harmless for a table that the same file creates: no other session knows it. */
  readonly butNew?: true;
}

const LOCKED = "every row is read or written under the table's lock";

/** Statements in lower case, white space as one blank; the first group, if there is one, is the table. */
const RULES: readonly Rule[] = [
  { breaks: /^drop table (?:if exists )?([\w.]+)/, why: "the previous version uses the table", butNew: true },
  {
    breaks: /^drop (?:view|materialized view|type|schema|sequence|function|procedure|trigger|extension)\b/,
    why: "the previous version may use it",
  },
  { breaks: /^alter table .*\bdrop column\b/, why: "the previous version names the column" },
  {
    breaks: /^alter table .*\bdrop constraint\b/,
    why: "the previous version may name it (`on conflict`), or rely on it",
  },
  { breaks: /^alter .*\brename\b/, why: "the previous version knows it by its old name" },
  { breaks: /^alter table .*\bset schema\b/, why: "the previous version looks for it where it was" },
  {
    breaks: /^alter table .*\balter (?:column )?\w+ (?:set data )?type\b/,
    why: `the previous version expects the old type, and ${LOCKED}`,
  },
  {
    breaks: /^alter table .*\balter (?:column )?\w+ set not null\b/,
    why: `the previous version may write null, and ${LOCKED}`,
  },
  {
    breaks: /^alter table .*\balter (?:column )?\w+ drop default\b/,
    why: "the previous version may leave the column to its default",
  },
  {
    breaks: /^alter table .*\badd constraint\b(?!.*\bnot valid\b)/,
    why: `it is checked while ${LOCKED}, and the previous version may write what it forbids`,
    butNew: true,
  },
  {
    breaks: /^alter table .*\badd (?:primary key|unique|foreign key|check)\b/,
    why: `it is checked while ${LOCKED}`,
    butNew: true,
  },
  {
    breaks: /^create (?:unique )?index (?!concurrently).* on (?:only )?([\w.]+)/,
    why: "writers wait until it is built: `drop index concurrently if exists`, then `create index concurrently`",
    butNew: true,
  },
  { breaks: /^drop index (?!concurrently)/, why: "it takes the table's lock: `drop index concurrently`" },
  {
    breaks: /^(?:update|delete from|truncate(?: table)?|lock(?: table)?) (?:only )?([\w.]+)/,
    why: "its locks are held until the commit; have a service do it in steps",
    butNew: true,
  },
  { breaks: /^create or replace\b/, why: "the previous version uses what is replaced" },
  { breaks: /^(?:vacuum full|cluster|reindex (?!.*concurrently))/, why: LOCKED },
];

/** Rules for the columns that one `alter table` adds. */
const COLUMN_RULES: ReadonlyArray<{ breaks: RegExp; why: string }> = [
  {
    breaks: /\bnot null\b(?!.*\b(?:default|generated)\b)(?<!\b(?:default|generated)\b.*)/,
    why: "the previous version does not give it a value: not null needs a default",
  },
  { breaks: /\b(?:unique|primary key)\b/, why: `its index is built while ${LOCKED}` },
  { breaks: /\breferences\b/, why: `it is checked while ${LOCKED}` },
  { breaks: /\bgenerated (?:always|by default) as\b/, why: "the table is rewritten under its lock" },
  {
    breaks: /\bdefault\b.*\b(?:gen_random_uuid|uuid\w*|clock_timestamp|random|nextval)\b/,
    why: "a default that differs from row to row rewrites the table under its lock",
  },
];

/** A mark must have a reason and the step of an upgrade: no single word can say both. */
const REASON_LENGTH = 30;
const MARK = /^-- incompatible(?: before \d{4}_[a-z0-9_]+)?:(.*)$/m;

const DIRECTORIES = ["packages/publisher-db/migrations", "packages/platform-db/migrations"] as const;

/** Migrations that break the previous version without saying so. */
export function checkMigrations(root: string): string[] {
  return DIRECTORIES.flatMap((directory) =>
    readdirSync(join(root, directory)).flatMap((file) => {
      const path = `${directory}/${file}`;
      return migrationProblems(path, readFileSync(join(root, path), "utf8"));
    }),
  );
}

/**
 * The statements of a migration that break the previous version: `<path>: <statement's beginning>: why`; none
 * for a migration that declares it.
 */
export function migrationProblems(path: string, text: string): string[] {
  const mark = MARK.exec(text)?.[1]?.trim();
  if (mark !== undefined) {
    return mark.length >= REASON_LENGTH
      ? []
      : [`${path}: say why it is incompatible, and the upgrade's step`];
  }
  const statements = statementsOf(text);
  const made = new Set(statements.flatMap((statement) => madeTable(statement) ?? []));
  const problems = statements.flatMap((statement) => problemsOf(statement, made));
  return [...problems, ...concurrencyProblems(text, statements)].map((problem) => `${path}: ${problem}`);
}

/** The text without comments and literals; bodies of functions count as literals. */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, " ")
    .replaceAll(/--.*$/gm, " ")
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").replaceAll('"', "").trim())
    .filter((statement) => statement !== "");
}

function madeTable(statement: string): string | undefined {
  return /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(statement)?.[1];
}

function problemsOf(statement: string, made: ReadonlySet<string>): string[] {
  const shown = `\`${statement.length > 60 ? `${statement.slice(0, 60)}…` : statement}\``;
  const altered = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(statement)?.[1];
  const found = RULES.flatMap(({ breaks, why, butNew }) => {
    const match = breaks.exec(statement);
    const table = altered ?? match?.[1];
    const isNew = butNew === true && table !== undefined && made.has(table);
    return match === null || isNew ? [] : [`${shown}: ${why}`];
  });
  if (altered === undefined || made.has(altered)) return found;
  const added = statement.split(/\badd column (?:if not exists )?/).slice(1);
  return [
    ...found,
    ...added.flatMap((column) =>
      COLUMN_RULES.filter(({ breaks }) => breaks.test(column)).map(
        ({ why }) => `${shown}: column ${column.split(" ")[0]}: ${why}`,
      ),
    ),
  ];
}

/** A concurrent build runs outside a transaction and may be repeated: nothing else may be in the file. */
function concurrencyProblems(text: string, statements: readonly string[]): string[] {
  if (!statements.some((statement) => / index concurrently /.test(statement))) return [];
  const dropped = new Set<string>();
  const problems: string[] = [];
  if (/['$]/.test(text.replaceAll(/--.*$/gm, "")))
    problems.push("a file with `concurrently` may hold no texts");
  for (const statement of statements) {
    // An index is made in its table's schema, and its name may not say so there.
    const drop = /^drop index concurrently if exists (?:\w+\.)?(\w+)$/.exec(statement)?.[1];
    const create = /^create (?:unique )?index concurrently (?!if not exists)([\w.]+) on /.exec(
      statement,
    )?.[1];
    if (drop !== undefined) dropped.add(drop);
    else if (create === undefined)
      problems.push("beside `concurrently` there may be nothing else in the file");
    else if (!dropped.has(create)) {
      problems.push(
        `a build that was cut short leaves ${create} behind: drop it concurrently first, if it exists`,
      );
    }
  }
  return problems;
}
