/** Apart, because what is compiled from the schemas is large, and not every process judges anything. */
export { MESSAGE_VALIDATORS, PLATFORM_VALIDATORS, VALIDATORS } from "../generated/validators.ts";
export { findIssues, type RequestIssues } from "../request-issues.ts";
export { describeViolation, type SchemaViolation } from "../schema-issue.ts";
