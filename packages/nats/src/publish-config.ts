import { type ConfigMessage, configMessageId, configSubject } from "#contract";
import type { Stream } from "./connect.ts";
import { publishOrThrow } from "./publish.ts";

/**
 * Publishes a program or deal as it is now, or its removal (contract, section 8). The stream keeps the last message of
 * each, so one record's revisions are published in their order: a reader that starts from nothing sees only the last.
 * Repeating one after an attempt whose fate is unknown is harmless.
 * @throws PublishError unless the message is stored
 */
export function publishConfig(stream: Stream, message: ConfigMessage): Promise<void> {
  return publishOrThrow(stream, {
    subject: stream.prefix + configSubject(message),
    payload: JSON.stringify(message),
    id: configMessageId(message),
  });
}
