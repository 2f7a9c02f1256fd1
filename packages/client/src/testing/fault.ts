/** What is to go wrong with one request. `taken` says whether it took effect all the same, where both can be. */
export type Fault =
  /** 503: nothing was accepted. */
  | { readonly kind: "unavailable"; readonly retryAfterSeconds?: number }
  /** 429: nothing was accepted. */
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds?: number }
  /** Ingest answers 202, as when the outcome is not known in time: the events are applied, and the batch tells. */
  | { readonly kind: "accepted" }
  /** The right answer, so much later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The connection ends without an answer. */
  | { readonly kind: "cut"; readonly taken?: boolean }
  /** 500 with a `batch_id`: the service does not know whether the events are stored. */
  | { readonly kind: "unknown"; readonly taken?: boolean };

/** Whether a request with this fault takes effect. */
export function takesEffect(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case "unavailable":
    case "rate_limited":
      return false;
    case "cut":
    case "unknown":
      return fault.taken ?? false;
    default:
      return true;
  }
}
