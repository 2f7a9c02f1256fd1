/** What `npm run build` makes of the schemas (`compile-validators`): a compiled validator of each. */
import type { MessageName } from "../messages.ts";
import type { PlatformRouteName } from "../platform-routes.ts";
import type { RouteName } from "../routes.ts";
import type { Validate } from "../schema-issue.ts";

/** Of every route's request body. */
export const VALIDATORS: Readonly<Record<RouteName, Validate>>;
/** Likewise, of the platform. */
export const PLATFORM_VALIDATORS: Readonly<Record<PlatformRouteName, Validate>>;
/** Of everything in a stream that another system writes. */
export const MESSAGE_VALIDATORS: Readonly<Record<MessageName, Validate>>;
