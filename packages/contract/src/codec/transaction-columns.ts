import type { ChangingField, StoredTransaction } from "#domain";
import type { TransactionEvent } from "../schemas/transaction.ts";

/** The storage type of a column, which decides how its value is written and read. */
export type ColumnType = "uuid" | "text" | "int8" | "timestamptz" | "bytea";

/** A column of the table `transactions`, and the field that it holds. */
export interface TransactionColumn {
  readonly field: keyof StoredTransaction;
  readonly name: string;
  readonly type: ColumnType;
  /** Whether a later event may change it (`applyEvent`). */
  readonly changes?: true;
  /**
   * Whether a transaction may lack it. A column added later must be nullable: older rows and messages lack
   * it.
   */
  readonly nullable?: true;
  /** Whether ingest makes it. All others are copied from the event, in one piece (`ingest-codec.ts`). */
  readonly made?: true;
}

/**
 * The columns of a transaction that an event writes. Everything that names these columns is derived from this
 * list: the message from the edge, the binary copy, the update, reading rows back. `docs/changing.md`
 * lists the other files of a new field. In memory, timestamps are UTC texts with microseconds,
 * and hashes lower-case hex.
 */
export const TRANSACTION_COLUMNS = [
  { field: "id", name: "id", made: true, type: "uuid" },
  { field: "organisationId", name: "organisation_id", made: true, type: "uuid" },
  { field: "memberId", name: "member_id", type: "uuid", nullable: true },
  { field: "externalId", name: "external_id", type: "text" },
  { field: "state", name: "state", type: "text", changes: true },
  { field: "network", name: "network", type: "text" },
  { field: "merchantId", name: "merchant_id", type: "text" },
  { field: "statementDescriptor", name: "statement_descriptor", type: "text", changes: true, nullable: true },
  { field: "amount", name: "amount", type: "int8", changes: true, nullable: true },
  { field: "currency", name: "currency", type: "text", changes: true, nullable: true },
  { field: "authedAt", name: "authed_at", type: "timestamptz" },
  { field: "clearedAt", name: "cleared_at", type: "timestamptz", changes: true, nullable: true },
  { field: "revertedAt", name: "reverted_at", type: "timestamptz", changes: true, nullable: true },
  { field: "identifier6", name: "identifier_6", made: true, type: "bytea" },
  { field: "identifier8", name: "identifier_8", made: true, type: "bytea", changes: true, nullable: true },
  // Null in every event: it is derived from several.
  {
    field: "firstDescriptor",
    name: "first_descriptor",
    made: true,
    type: "text",
    changes: true,
    nullable: true,
  },
] as const satisfies readonly TransactionColumn[];

type Listed = (typeof TRANSACTION_COLUMNS)[number]["field"];
export type NullableField = Extract<(typeof TRANSACTION_COLUMNS)[number], { nullable: true }>["field"];
export type MadeField = Extract<(typeof TRANSACTION_COLUMNS)[number], { made: true }>["field"];
type MayBeNull = { [F in keyof StoredTransaction]: null extends StoredTransaction[F] ? F : never };
/** `true` if two unions have the same members. */
export type Same<A, B> = [Exclude<A, B>, Exclude<B, A>] extends [never, never] ? true : never;
type Changes = Extract<(typeof TRANSACTION_COLUMNS)[number], { changes: true }>["field"];
type Sent = Exclude<(typeof TRANSACTION_COLUMNS)[number], { made: true }>["name"];
/** Ingest hashes these into the identifiers. */
type NotStored = "auth_code" | "bin";
/**
 * Does not compile if the list lacks a field of a transaction, or differs in which may be null or changes.
 */
export const EVERY_FIELD_IS_LISTED: Same<Listed, keyof StoredTransaction> = true;
export const CHANGES_ARE_LISTED: Same<Changes, ChangingField> = true;
export const NULLABLE_ARE_LISTED: Same<NullableField, MayBeNull[keyof StoredTransaction]> = true;
/**
 * Does not compile if an event has a field that is not sent to ingest: it would be accepted, and silently
 * dropped.
 */
export const EVERY_FIELD_IS_SENT: Same<Exclude<keyof TransactionEvent, NotStored> | "state", Sent> = true;
