/** Separate, because the compiled schemas are large, and not every process validates. */

export {
  describeViolation,
  findIssues,
  type RequestIssues,
  type Validate,
} from "../schema-issue.ts";
export { MESSAGE_VALIDATORS, PLATFORM_VALIDATORS, VALIDATORS } from "./validators.js";
