import { ApiError } from "#contract";
import { classifyDatabaseError } from "./classify-database-error.ts";

const RETRY_AFTER_SECONDS = 1;

/**
 * The refusal that a caller of an API gets for a fault of the database which passes: it should come back. undefined for
 * every other fault, which is ours to hide.
 */
export function explainDatabaseFault(error: unknown): ApiError | undefined {
  const meaning = classifyDatabaseError(error);
  if (meaning !== "retry" && meaning !== "unavailable") return undefined;
  return new ApiError(
    "unavailable",
    "the database cannot answer now; nothing was accepted",
    { reason: "database_unavailable" },
    RETRY_AFTER_SECONDS,
  );
}
