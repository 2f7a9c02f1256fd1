/** What a worker thread needs of the contract, without schemas and validators, which take time to load. */
export {
  EventReader,
  INGEST_VERSION,
  type IngestHead,
  type PackedEvents,
  packEvents,
  packMessage,
  placeOf,
} from "./ingest-codec.ts";
export { INGEST_LAYOUTS } from "./ingest-layouts.ts";
export {
  authedAtOf,
  COPY_HEADER,
  COPY_TRAILER,
  completeRow,
  type MadeFields,
  type PackedRows,
  packRows,
  RowPacker,
  rowAt,
  tuplesAt,
} from "./row-codec.ts";
export {
  copyAsciiAt,
  copyTextAt,
  isAscii,
  joinTexts,
  type Run,
  type Texts,
  takeRuns,
  textAt,
} from "./texts.ts";
export { type ColumnType, TRANSACTION_COLUMNS, type TransactionColumn } from "./transaction-columns.ts";
