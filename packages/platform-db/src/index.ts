export { assertPlatformSchema, migratePlatform, platformMigrationState } from "./migrate-platform.ts";
export {
  createPlatformToken,
  deletePlatformToken,
  ensureFirstPlatformToken,
  findTokenOwner,
  listPlatformTokens,
  replaceRetailerToken,
} from "./tokens.ts";
