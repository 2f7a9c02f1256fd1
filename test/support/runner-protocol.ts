/** How the runner tells the test files which servers it started; JSON of `SharedServers`. */
export const SHARED_SERVERS_VARIABLE = "STAMPEDE_TEST_SERVERS";

export interface SharedServers {
  readonly postgresUrl: string;
  /** The database from which test databases are cloned. */
  readonly template: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
}

/** How the runner tells `together.ts` which files to run; JSON of `Together`. */
export const TOGETHER_VARIABLE = "STAMPEDE_TEST_FILES";

export interface Together {
  readonly files: readonly string[];
  /** How long one file may take. */
  readonly timeoutMs: number;
  /** How long the processes of a file may take to be gone after the order to end. */
  readonly patienceMs: number;
}

/**
 * Begins the comment by which `together.ts` says, after each file, how many milliseconds it took: of CPU
 * time, and in all.
 */
export const SPENT = "cpu";
