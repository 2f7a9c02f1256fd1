import { StampedeError } from "#client";
import { classifyDatabaseError, MigrationError } from "#postgres";
import { SettingsError, StartError } from "#runtime";

/** A command cannot do what it was asked to do. `message` is one line that says what to do. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
  }
}

/**
 * What the person at the terminal is told: one line about something that they can mend, everything about a
 * fault of ours.
 */
export function explainFailure(error: unknown): string {
  if (
    error instanceof CommandError ||
    error instanceof SettingsError ||
    error instanceof StartError ||
    error instanceof MigrationError
  ) {
    return error.message;
  }
  if (error instanceof StampedeError) {
    const trace = error.traceId === undefined ? "" : `, trace id ${error.traceId}`;
    return `the service did not do it: ${error.message} (${error.code}${trace})`;
  }
  const meaning = classifyDatabaseError(error);
  if (meaning === "unavailable" || meaning === "retry") {
    const { message, code } = error as { message: string; code: string };
    return `the database cannot be used: ${message || code}`;
  }
  // 42P01, undefined table: a database without our schema.
  if ((error as { code?: unknown }).code === "42P01") {
    return "the database has no schema of Stampede: run `stampede migrate` first";
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
