export { type PublicName, publicNameOf } from "../type-builder.ts";
export type { ApiDescription } from "./api-description.ts";
export { openApiDocument } from "./document.ts";
export { PUBLISHER_API } from "./publisher/publisher-api.ts";
