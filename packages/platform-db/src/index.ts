export { assertPlatformSchema, migratePlatform, platformMigrationState } from "./migrate-platform.ts";
export { findTokenOwner, replaceRetailerToken } from "./token-owner.ts";
export {
  createPlatformToken,
  deletePlatformToken,
  ensureFirstPlatformToken,
  listPlatformTokens,
} from "./tokens.ts";
