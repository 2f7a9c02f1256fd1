import type { Explanation, Waiting } from "./shapes.ts";
import { count, Moments, moment, type Reader } from "./words.ts";

/**
 * What a purchase waits for, in one sentence. Sentences about webhooks have times, and those about a match need the platform's
 * explanation; the others are the trace's.
 * @param explained undefined if the platform was not asked or did not answer
 */
export function sayWaiting(
  { code, text, webhook_url, events = 1, failing_since, next_attempt_at }: Waiting,
  reader: Reader,
  explained?: Explanation,
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
    case "match":
      return explained === undefined ? text : sayMatch(explained);
    default:
      return text;
  }
}

/** The open question: which retailer it belongs to, or whether it was paid. */
function sayMatch({ routing, verdicts }: Explanation): string {
  if (routing.outcome !== "routed") return `Nothing comes of it. ${routing.text}`;
  const whose = routing.retailers[0]?.name ?? "the retailer";
  return verdicts.some(({ verdict }) => verdict === "waiting")
    ? `It waits for the payment of ${whose}.`
    : `The platform knows it as a purchase at ${whose}; below it says why nothing came of it.`;
}
