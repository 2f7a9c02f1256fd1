/** The SQLSTATEs after which the same work is run again, as a metric tells them. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["40001", "serialization"],
  ["40P01", "deadlock"],
  ["55P03", "lock_timeout"],
  ["57014", "statement_timeout"],
  ["25P03", "transaction_timeout"],
  ["25P04", "transaction_timeout"],
]);

export const RETRY_REASONS: readonly string[] = [...new Set(REASONS.values())];

/** Of an error that `classifyDatabaseError` calls `retry`. */
export function retryReason(error: unknown): string {
  return REASONS.get(String((error as { code?: unknown }).code)) ?? "other";
}
