import type { TransactionEvent } from "#contract";
import { type AmountFormat, PLAIN_AMOUNTS } from "./amount.ts";
import type { Disambiguation } from "./local-time.ts";

/** What a row can say: the fields of an event, and the member's ref, which takes the place of `member_id`. */
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

/** How times are written in the file. */
export interface TimeFormat {
  /** `iso`, `epoch_seconds`, `epoch_milliseconds`, or a pattern such as `DD.MM.YYYY HH:mm:ss`. */
  readonly format: string;
  /** The IANA zone of times without an offset. Undefined: they must have one. */
  readonly zone: string | undefined;
  readonly disambiguation: Disambiguation;
}

/** How a CSV file is written. */
export interface CsvDialect {
  /** Undefined: a comma, or a tab in a file whose name ends in .tsv. */
  readonly delimiter: string | undefined;
  /** Undefined: there are no quotes, each stands for itself. */
  readonly quote: string | undefined;
  /** A label of the Encoding Standard, such as `utf-8` or `windows-1252`. */
  readonly encoding: string;
  /** The columns of a file whose first line is a row already; undefined if it names them. */
  readonly header: readonly string[] | undefined;
  /** Whether spaces around a value are taken away. */
  readonly trim: boolean;
}

/** Says which event a row is (docs/import.md). */
export interface ImportMap {
  /** By field, the columns that hold it, joined by a space if there are several. Undefined: named as the fields are. */
  readonly columns: ReadonlyMap<Field, readonly string[]> | undefined;
  /** By field, what it is in every row. */
  readonly constants: ReadonlyMap<Field, string>;
  /** By field, by what the file says, what the API is told; `*` stands for all others. */
  readonly values: ReadonlyMap<Field, ReadonlyMap<string, string>>;
  readonly amount: AmountFormat;
  readonly time: TimeFormat;
  readonly csv: CsvDialect;
  /** Where a column was named: `map.json:3:20`. Undefined for one that no map names. */
  readonly placeOf: (column: string) => string | undefined;
}

/** Every value stands for itself, in columns that have the names of fields. */
export const PLAIN_MAP: ImportMap = {
  columns: undefined,
  constants: new Map(),
  values: new Map(),
  amount: PLAIN_AMOUNTS,
  time: { format: "iso", zone: undefined, disambiguation: "reject" },
  csv: { delimiter: undefined, quote: '"', encoding: "utf-8", header: undefined, trim: false },
  placeOf: () => undefined,
};
