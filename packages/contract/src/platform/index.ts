export { PLATFORM_API } from "../openapi/platform/platform-api.ts";
export {
  PLATFORM_PREFIX,
  PLATFORM_ROUTES,
  type PlatformAnswerOf,
  type PlatformRequestOf,
  type PlatformRouteDefinition,
  type PlatformRouteName,
} from "../platform-routes.ts";
export { DealOutcome, Outcome, OutcomeMessage, PurchaseOutcome } from "../schemas/outcome.ts";
export {
  ConfigMessage,
  DealConfig,
  PlatformMessage,
  PlatformRecord,
  ProgramConfig,
} from "../schemas/platform-messages.ts";
export type {
  DryRunResult,
  Payment,
  PlatformDeal,
  PlatformProgram,
  RulesInput as PlatformRules,
} from "../schemas/platform-requests.ts";
