export {
  assertPlatformSchema,
  migratePlatform,
  platformMigrationState,
  platformRights,
} from "./migrate-platform.ts";
export { findTokenOwner, rotateRetailerToken } from "./token-owner.ts";
export {
  createPlatformToken,
  deletePlatformToken,
  ensureFirstPlatformToken,
  listPlatformTokens,
} from "./tokens.ts";
