export { findIssues, type RequestIssues } from "../request-issues.ts";
export { describeViolation, type SchemaViolation } from "../schema-issue.ts";
export type { ApiDescription } from "./api-description.ts";
export { type OpenApiDocument, openApiDocument } from "./document.ts";
export { PUBLISHER_API } from "./publisher/publisher-api.ts";
