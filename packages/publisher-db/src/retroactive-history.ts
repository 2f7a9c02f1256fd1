import type { RetroactiveHistory } from "#domain";
import type { Fragment, Sql } from "#postgres";

/**
 * Whether a program or deal counts earlier purchases, and when it did, in the form of
 * `createRetroactiveReader`.
 */
export function retroactiveText(sql: Sql, table: string): Fragment {
  return sql`coalesce(
    ${sql(`${table}.retroactive_history`)}::text,
    case when ${sql(`${table}.retroactive`)} then 't' else 'f' end
  )`;
}

const ALWAYS: RetroactiveHistory = [{ since: 0, retroactive: true }];
const NEVER: RetroactiveHistory = [{ since: 0, retroactive: false }];

/** Reads the result of `retroactiveText`; equal texts give the same object. */
export function createRetroactiveReader(): (text: string) => RetroactiveHistory {
  const read = new Map([
    ["t", ALWAYS],
    ["f", NEVER],
  ]);
  return (text) => {
    const known = read.get(text) ?? (JSON.parse(text) as RetroactiveHistory);
    read.set(text, known);
    return known;
  };
}
