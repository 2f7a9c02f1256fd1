import type { Webhook } from "./webhook-types.ts";

/** The result of an attempt in a few words. */
export function attemptWords(attempt: { readonly status?: number; readonly error_class?: string }): string {
  const { status, error_class: fault } = attempt;
  if (status !== undefined) return `answered ${status}`;
  if (fault === undefined) return "not tried yet";
  return FAULTS[fault] ?? fault.replaceAll("_", " ");
}

/** What the error classes of attempts mean. */
const FAULTS: Readonly<Record<string, string>> = {
  dns_error: "name not found",
  connection_refused: "connection refused",
  connection_reset: "connection cut off",
  tls_error: "certificate or TLS not accepted",
  timeout: "no answer in 15 s",
  blocked_address: "address not allowed, nothing was sent",
  redirect: "answered with a redirect",
  response_too_large: "answer too large",
  secret_unavailable: "its secret cannot be opened, nothing was sent",
};

/** What a webhook's state means for waiting events. */
export function stateWords({ state, failing_since }: Pick<Webhook, "state" | "failing_since">): string {
  if (state === "paused")
    return "Paused: events wait here for up to 30 days, and go out in order when it is enabled.";
  if (state === "disabled") {
    return "Disabled, because it answered 410 or failed for 72 hours: events wait for up to 30 days, and go out in order when it is enabled.";
  }
  return failing_since === undefined
    ? "Enabled: events go out as they happen."
    : "Enabled, and failing: the first delivery is tried again, and those behind it wait for it.";
}
