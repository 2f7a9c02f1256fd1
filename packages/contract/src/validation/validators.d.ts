/** The result of `npm run build` (`compile-validators`): a compiled validator for each schema. */
import type { MessageName } from "../messages.ts";
import type { PlatformRouteName } from "../platform-routes.ts";
import type { RouteName } from "../routes.ts";
import type { Validate } from "../schema-issue.ts";

/** For every route's request body. */
export const VALIDATORS: Readonly<Record<RouteName, Validate>>;
/** The same for the platform. */
export const PLATFORM_VALIDATORS: Readonly<Record<PlatformRouteName, Validate>>;
/** For every stream message of another system. */
export const MESSAGE_VALIDATORS: Readonly<Record<MessageName, Validate>>;
