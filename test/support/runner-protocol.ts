/** How the runner tells the test files which servers it started; JSON of `SharedServers`. */
export const SHARED_SERVERS_VARIABLE = "STAMPEDE_TEST_SERVERS";

export interface SharedServers {
  readonly postgresUrl: string;
  /** The database that test databases are cloned from. */
  readonly template: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
}

/** How it tells `together.ts` what to run; JSON of `Together`. */
export const TOGETHER_VARIABLE = "STAMPEDE_TEST_FILES";

export interface Together {
  readonly files: readonly string[];
  /** How long one file may take. */
  readonly timeoutMs: number;
  /** How long what a file has told to end may take to be gone. */
  readonly patienceMs: number;
}

/** Begins the comment by which `together.ts` says, after each file, how many milliseconds that took: of CPU time, and in all. */
export const SPENT = "cpu";
