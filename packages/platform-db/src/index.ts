export { createPlatformToken } from "./create-platform-token.ts";
export { deletePlatformToken } from "./delete-platform-token.ts";
export { ensureFirstPlatformToken } from "./ensure-first-platform-token.ts";
export { findTokenOwner } from "./find-token-owner.ts";
export { listPlatformTokens } from "./list-platform-tokens.ts";
export { assertPlatformSchema, migratePlatform, platformMigrationState } from "./migrate-platform.ts";
export { replaceRetailerToken } from "./replace-retailer-token.ts";
