import type { TSchema } from "typebox";
import { Outcome } from "./schemas/outcome.ts";
import { ConfigMessage, PlatformRecord } from "./schemas/platform.ts";

/**
 * What another system writes into a stream. It is validated like a request's body, with validators generated
 * from these schemas; messages that we wrote ourselves are not. Outcomes and records travel in packs
 * (`OutcomeMessage`, `PlatformMessage`) and are validated one by one, so that a wrong one does not take the
 * others with it. Records of bytes are checked by their reader.
 */
export const MESSAGES = {
  config: ConfigMessage,
  outcome: Outcome,
  platformRecord: PlatformRecord,
} as const satisfies Record<string, TSchema>;

export type MessageName = keyof typeof MESSAGES;
