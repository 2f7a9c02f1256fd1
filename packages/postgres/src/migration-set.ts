import type { AdvisoryLock } from "./advisory-lock.ts";

/** Migrations that belong together, and where a database records which of them it has. */
export interface MigrationSet {
  readonly directory: string;
  /**
   * The schema that holds everything they make; it is made for them. Absent: the connection's own schema,
   * usually `public`.
   */
  readonly schema?: string;
  /** Sets that share a database have different locks. */
  readonly lock: AdvisoryLock;
}
