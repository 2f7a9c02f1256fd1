import { type ColumnType, TRANSACTION_COLUMNS } from "#contract/codec";
import { constantText } from "#postgres";

/** How a column of the row `t` is written in JSON; timestamps as texts: a Date would lose microseconds. */
const SHOWN: Readonly<Record<ColumnType, (name: string) => string>> = {
  uuid: (name) => `t.${name}`,
  text: (name) => `t.${name}`,
  int8: (name) => `t.${name}`,
  timestamptz: (name) => `to_char(t.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  bytea: (name) => `encode(t.${name}, 'hex')`,
};

const FIELDS = TRANSACTION_COLUMNS.map(({ field, name, type }) => `'${field}', ${SHOWN[type](name)}`);

/** The row `t` of `transactions` as the JSON of a `StoredTransaction`. */
export const storedTransaction = constantText(`json_build_object(${FIELDS.join(", ")})`);
