/** How the runner tells the test files which servers it started; JSON of `SharedServers`. */
export const SHARED_SERVERS_VARIABLE = "STAMPEDE_TEST_SERVERS";

export interface SharedServers {
  readonly postgresUrl: string;
  /** The database that test databases are cloned from. */
  readonly template: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
}

/** How it tells `together.ts` which files it is to run; JSON of their paths. */
export const TOGETHER_VARIABLE = "STAMPEDE_TEST_FILES";

/** Begins the comment by which `together.ts` says, after each file, how many milliseconds that took: of CPU time, and in all. */
export const SPENT = "cpu";
