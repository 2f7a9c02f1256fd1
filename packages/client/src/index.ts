/** The TypeScript SDK for integrators. */
export type { Answer } from "./answer.ts";
export {
  type CallOptions,
  type ClientOptions,
  type IngestOptions,
  StampedeClient,
} from "./client.ts";
export { type IngestResult, toIngestResult } from "./ingest-result.ts";
export { isRepeatable } from "./repeatable.ts";
export type { Retry } from "./retry.ts";
export { type FailureCode, StampedeError } from "./stampede-error.ts";
