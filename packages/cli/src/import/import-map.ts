import type { TransactionEvent } from "#contract";
import { type AmountFormat, PLAIN_AMOUNTS } from "./amount.ts";
import type { Disambiguation } from "./local-time.ts";

/** The fields of an event, and the member's ref, which takes the place of `member_id`. */
export const FIELDS = [
  "member_id",
  "member_ref",
  "external_id",
  "auth_code",
  "network",
  "bin",
  "merchant_id",
  "statement_descriptor",
  "amount",
  "currency",
  "authed_at",
  "cleared_at",
  "reverted_at",
] as const;
export type Field = (typeof FIELDS)[number];
/** Does not compile while a field of an event cannot be imported. */
export const EVERY_FIELD_IS_NAMED: [Exclude<keyof TransactionEvent, Field>] extends [never] ? true : never =
  true;

export const TIME_FIELDS: readonly Field[] = ["authed_at", "cleared_at", "reverted_at"];

/** The format of times in a file. */
export interface TimeFormat {
  /** `iso`, `epoch_seconds`, `epoch_milliseconds`, or a pattern such as `DD.MM.YYYY HH:mm:ss`. */
  readonly format: string;
  /** The IANA zone of times without an offset. Undefined: they must have one. */
  readonly zone: string | undefined;
  readonly disambiguation: Disambiguation;
}

/** The format of a CSV file. */
export interface CsvDialect {
  /** Undefined: a comma, or a tab in a file whose name ends in .tsv. */
  readonly delimiter: string | undefined;
  /** Undefined: quotes have no meaning. */
  readonly quote: string | undefined;
  /** A label of the Encoding Standard, such as `utf-8` or `windows-1252`. */
  readonly encoding: string;
  /** The columns of a file without a header; undefined if the first line names them. */
  readonly header: readonly string[] | undefined;
  /** Whether spaces around a value are removed. */
  readonly trim: boolean;
}

/** How a row becomes an event (docs/import.md). */
export interface ImportMap {
  /** By field, its columns, joined by a space if there are several. Undefined: columns have the names of fields. */
  readonly columns: ReadonlyMap<Field, readonly string[]> | undefined;
  /** By field, its value in every row. */
  readonly constants: ReadonlyMap<Field, string>;
  /** By field, from the file's value to the API's; `*` stands for all others. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, string>>;
  readonly amount: AmountFormat;
  readonly time: TimeFormat;
  readonly csv: CsvDialect;
  /** The place of a column's name in the map: `map.json:3:20`. Undefined if the map does not name it. */
  readonly placeOf: (column: string) => string | undefined;
}

/** For columns that have the names of fields, and the API's values. */
export const PLAIN_MAP: ImportMap = {
  columns: undefined,
  constants: new Map(),
  values: new Map(),
  amount: PLAIN_AMOUNTS,
  time: { format: "iso", zone: undefined, disambiguation: "reject" },
  csv: { delimiter: undefined, quote: '"', encoding: "utf-8", header: undefined, trim: false },
  placeOf: () => undefined,
};
