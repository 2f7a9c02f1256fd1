import type { TSchema } from "typebox";
import { ConfigMessage } from "./schemas/platform.ts";

/**
 * Stream messages that another system writes, by the hop they come over (`FLOW`). They are checked like a request's
 * body, with validators generated from these schemas; messages of our own making are not.
 */
export const MESSAGES = { config: ConfigMessage } as const satisfies Record<string, TSchema>;

export type MessageName = keyof typeof MESSAGES;
