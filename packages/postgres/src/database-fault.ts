import { StartError } from "#runtime";
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

/** Who may come in, to which database, and whether it can be trusted: that stays as it is until somebody changes it. */
const LASTING = /^(28|3D|TLS_)/;

/** Whether the database cannot serve now, and may soon: then whoever starts waits for it. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof StartError) return error.passes;
  const meaning = classifyDatabaseError(error);
  if (meaning !== "retry" && meaning !== "unavailable") return false;
  return !LASTING.test((error as { code: string }).code);
}
