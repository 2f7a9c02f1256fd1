export { migratePlatform, PLATFORM_SCHEMA } from "./migrate-platform.ts";
export {
  createPlatformToken,
  deletePlatformToken,
  ensureFirstPlatformToken,
  listPlatformTokens,
} from "./platform-tokens.ts";
export { findTokenOwner, rotateRetailerToken } from "./token-owner.ts";
