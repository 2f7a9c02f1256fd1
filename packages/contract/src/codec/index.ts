/** The part of the contract for worker threads, without schemas and validators, which take time to load. */
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
export { type Packed, piecesAt, takeRuns } from "./packed.ts";
export { LINK_BYTES, RECORD_FIELDS, RECORDS_VERSION } from "./record-layout.ts";
export { decodeRecords, RecordFault, RecordReader, recordsVersionOf } from "./record-reader.ts";
export {
  linkRecord,
  packRecordMessage,
  type RecordLinks,
  RecordPacker,
  writeRecord,
} from "./record-writer.ts";
export {
  authedAtOf,
  COPY_HEADER,
  COPY_TRAILER,
  completeRow,
  type MadeFields,
  packRows,
  RowPacker,
  rowAt,
} from "./row-codec.ts";
export {
  copyAsciiAt,
  copyTextAt,
  isAscii,
  joinTexts,
  type Texts,
  textAt,
} from "./texts.ts";
export {
  type ColumnType,
  type Same,
  TRANSACTION_COLUMNS,
  type TransactionColumn,
} from "./transaction-columns.ts";
