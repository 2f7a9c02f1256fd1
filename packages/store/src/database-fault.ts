import { classifyDatabaseError, type DatabaseErrorMeaning } from "./classify-database-error.ts";

/** Why work on the database failed, as a label of metrics. unexpected: no fault of the database, but one of ours. */
export const DATABASE_FAULTS = [
  "database_unavailable",
  "database_conflict",
  "database_refused",
  "unexpected",
] as const;
export type DatabaseFault = (typeof DATABASE_FAULTS)[number];

const FAULT_OF: Readonly<Record<DatabaseErrorMeaning, DatabaseFault>> = {
  unavailable: "database_unavailable",
  retry: "database_conflict",
  refused: "database_refused",
  bug: "unexpected",
};

/** Total: see `classifyDatabaseError`. */
export function databaseFaultOf(error: unknown): DatabaseFault {
  return FAULT_OF[classifyDatabaseError(error)];
}
