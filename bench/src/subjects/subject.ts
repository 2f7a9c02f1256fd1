import type { ServiceProcess } from "../service-process.ts";

export type SubjectName = "stampede" | "peer";

/** A running service that takes the workload over HTTP, with a database of its own. */
export interface Subject {
  readonly name: SubjectName;
  readonly url: string;
  /** Its Node processes: what memory and CPU time are read of. */
  readonly processes: readonly ServiceProcess[];
  /** Events or messages that are accepted and not yet stored; always 0 where there is no queue. */
  queueDepth(): Promise<number>;
  stop(): Promise<void>;
}
