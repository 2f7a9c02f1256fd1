export type { ApiDescription } from "./api-description.ts";
export { openApiDocument } from "./document.ts";
export { PUBLISHER_API } from "./publisher/publisher-api.ts";
