/** What a worker thread needs of the contract, without schemas and validators, which take time to load. */
export { COPY_HEADER, COPY_TRAILER, type PackedRows, packRows, rowAt, tuplesAt } from "./row-codec.ts";
export { joinTexts, type Run, type Texts, takeRuns, textAt } from "./texts.ts";
export { type ColumnType, TRANSACTION_COLUMNS, type TransactionColumn } from "./transaction-columns.ts";
