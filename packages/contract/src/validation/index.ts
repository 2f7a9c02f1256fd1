/** Apart, because the compiled schemas are large, and not every process validates. */
export { MESSAGE_VALIDATORS, PLATFORM_VALIDATORS, VALIDATORS } from "../generated/validators.ts";
export { findIssues, type RequestIssues } from "../request-issues.ts";
export { describeViolation, type SchemaViolation } from "../schema-issue.ts";
