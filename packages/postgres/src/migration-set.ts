import type { AdvisoryLock } from "./advisory-lock.ts";

/** Migrations that belong together, and where a database remembers which of them it has. */
export interface MigrationSet {
  readonly directory: string;
  /**
   * What they make is in this schema, which is made for them, and nothing of it outside. Absent: the connection's own,
   * as a rule `public`.
   */
  readonly schema?: string;
  /** Sets that share a database have a lock each. */
  readonly lock: AdvisoryLock;
}
