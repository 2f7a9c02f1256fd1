import type { Backlog } from "./measure-backlog.ts";
import type { Latency } from "./measure-latency.ts";
import type { Many } from "./measure-many.ts";

/** Each part, if it was measured. */
export interface WebhooksResults {
  readonly backlog: Backlog | undefined;
  readonly many: Many | undefined;
  readonly latency: Latency | undefined;
}
