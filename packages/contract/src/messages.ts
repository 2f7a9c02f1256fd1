import type { TSchema } from "typebox";
import { Outcome } from "./schemas/outcome.ts";
import { ConfigMessage, PlatformRecord } from "./schemas/platform-messages.ts";

/**
 * Stream messages of other systems. They are validated like a request's body, with validators generated from
 * these schemas; our own messages are not. Outcomes and records come in packs (`OutcomeMessage`,
 * `PlatformMessage`) and are validated one by one, so that a wrong one does not take the others with it.
 * Binary records are checked by their reader.
 */
export const MESSAGES = {
  config: ConfigMessage,
  outcome: Outcome,
  platformRecord: PlatformRecord,
} as const satisfies Record<string, TSchema>;

export type MessageName = keyof typeof MESSAGES;
