/** How the runner tells the test files which servers it started; JSON of `SharedServers`. */
export const SHARED_SERVERS_VARIABLE = "STAMPEDE_TEST_SERVERS";

export interface SharedServers {
  readonly postgresUrl: string;
  /** The database that test databases are cloned from. */
  readonly template: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
}
