import type { Waiting } from "./shapes.ts";
import { count, Moments, moment, type Reader } from "./words.ts";

/** What a purchase waits for, as one sentence. That of webhooks has times in it, and so is said here; the others are as the trace says them. */
export function sayWaiting(
  { code, text, webhook_url, events = 1, failing_since, next_attempt_at }: Waiting,
  reader: Reader,
): string {
  const wait = `${count(events, "event")} ${events === 1 ? "waits" : "wait"} for the webhook ${webhook_url}`;
  switch (code) {
    case "webhook_paused":
      return `${wait}, which is paused.`;
    case "webhook_disabled":
      return `${wait}, which is disabled.`;
    case "webhook": {
      const failing =
        failing_since === undefined
          ? ""
          : `, which has been failing ${new Moments(reader).since(failing_since)}`;
      const next =
        next_attempt_at === undefined ? "" : ` The next attempt is ${moment(next_attempt_at, reader)}.`;
      return `${wait}${failing}.${next}`;
    }
    default:
      return text;
  }
}
