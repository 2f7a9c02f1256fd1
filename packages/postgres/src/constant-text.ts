import type { Fragment, Sql } from "./store.ts";

/**
 * A piece of a statement that the code itself made, such as a list of columns. It must not hold anything from
 * outside, because it is sent as it is.
 */
export function constantText(text: string): (sql: Sql) => Fragment {
  const strings: TemplateStringsArray = Object.assign([text], { raw: [text] });
  return (sql) => sql(strings);
}
