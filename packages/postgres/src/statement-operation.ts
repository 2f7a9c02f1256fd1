/** Matches `update t set`, but neither `on conflict do update set` nor `for update`. */
const WRITE =
  /\binsert\s+into\s+(?<insert>[a-z_.]+)|\bupdate\s+(?!set\b)(?<update>[a-z_.]+)\s+(?:(?:as\s+)?\w+\s+)?set\b|\bdelete\s+from\s+(?<delete>[a-z_.]+)/;
/**
 * A table or view that is read; not a function that returns rows, nor the `from` of `extract(epoch from …)`.
 */
const READ =
  /(?<!\bepoch\s+)\b(?:from|join)\s+(?:lateral\s+)?(?!lateral\b)(?<table>[a-z_]+(?:\.[a-z_]+)?)(?![\w.]|\s*\()/g;
const NAMED_QUERY = /\b(?<name>[a-z_]+)\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/g;
const ROW_LOCK = /\bfor\s+(?:no\s+key\s+update|update|key\s+share|share)\b/;
/** A select that calls a `pg_…` function, such as a lock: the call is its purpose, whatever else it reads. */
const CALL = /^\s*select\s+(?<name>pg_[a-z_]+)\(/;
const ANY_CALL = /^\s*select\s+(?<name>[a-z_]+)\(/;

/** First words that name scripts and copies in metrics: their texts are written at run time. */
const SCRIPTS: ReadonlySet<string> = new Set([
  "begin",
  "commit",
  "rollback",
  "savepoint",
  "release",
  "set",
  "create",
]);

const known = new WeakMap<TemplateStringsArray, string>();

/**
 * What a statement does and to which table, such as `update transactions`: the label of its metrics. Taken
 * from the text in the source, without parameters: so no label holds a value, and there are only as many as
 * tables and verbs.
 *
 * - `insert`, `update`, `delete`: the first write in it, whether or not it also reads
 * - `lock`: a select that locks rows
 * - `select`: of the first table that it reads; if it reads none, of the server's function that it calls
 *
 * Derived once for each place in the source: a template always has the same `strings`.
 */
export function operationOf(strings: TemplateStringsArray): string {
  let operation = known.get(strings);
  if (operation === undefined) {
    operation = deriveOperation(strings.join(" ? "));
    known.set(strings, operation);
  }
  return operation;
}

/** For a text made at run time: its first word, if that is one of `SCRIPTS`. */
export function operationOfScript(text: string): string {
  const end = text.indexOf(" ");
  const word = end < 0 ? text : text.slice(0, end);
  return SCRIPTS.has(word) ? word : "script";
}

export function deriveOperation(text: string): string {
  const write = WRITE.exec(text)?.groups;
  for (const verb of ["insert", "update", "delete"]) {
    const table = write?.[verb];
    if (table !== undefined) return `${verb} ${table}`;
  }
  const call = CALL.exec(text)?.groups?.name;
  if (call !== undefined) return `select ${call}`;
  // The text has no table if the table's name is a parameter.
  const [, first] = /^\s*(select|with|insert|update|delete|create)\b/.exec(text) ?? [];
  if (first !== "select" && first !== "with") return first ?? "other";
  const table = firstTable(text);
  if (table !== undefined) return `${ROW_LOCK.test(text) ? "lock" : "select"} ${table}`;
  const name = ANY_CALL.exec(text)?.groups?.name;
  return name === undefined ? "select" : `select ${name}`;
}

/**
 * The first table that is not a result of the statement's `with`. Inside its own definition a name is a
 * table, unless the `with` is recursive.
 */
function firstTable(text: string): string | undefined {
  const isRecursive = /^\s*with\s+recursive\b/.test(text);
  const definedAt = new Map<string | undefined, number>();
  for (const match of text.matchAll(NAMED_QUERY)) {
    const end = isRecursive ? 0 : endOfParentheses(text, match.index + match[0].length);
    definedAt.set(match.groups?.name, end);
  }
  for (const { index, groups } of text.matchAll(READ)) {
    if (index < (definedAt.get(groups?.table) ?? text.length)) return groups?.table;
  }
  return undefined;
}

/** @param start the position after the opening parenthesis */
function endOfParentheses(text: string, start: number): number {
  let at = start;
  for (let depth = 1; depth > 0 && at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
  }
  return at;
}
