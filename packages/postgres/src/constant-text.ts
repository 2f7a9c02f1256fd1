import type { Fragment, Sql } from "./store.ts";

/**
 * A piece of a statement that the code itself made once, such as a list of columns. Nothing that anybody said may be in it:
 * it is sent as it is.
 */
export function constantText(text: string): (sql: Sql) => Fragment {
  const strings: TemplateStringsArray = Object.assign([text], { raw: [text] });
  return (sql) => sql(strings);
}
