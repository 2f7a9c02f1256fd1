/** For clients of commands: somebody looks on, so a service that is not there is told after seconds and not minutes. */
export const SOMEBODY_WAITS = { retryForMs: 5_000 };
