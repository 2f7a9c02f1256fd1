/** What a receiver process is told over IPC. */
export type ToReceiver =
  | { readonly kind: "start"; readonly webhooks: number; readonly secret: string }
  /**
   * Webhooks from this number on get no answer until it is changed; those that wait for one then get it. null: all are
   * answered.
   */
  | { readonly kind: "hang"; readonly from: number | null }
  | { readonly kind: "report" };

export type FromReceiver =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "arrived"; readonly arrivals: readonly Arrival[] }
  | { readonly kind: "report"; readonly report: ReceiverReport };

/** A delivery, from its last byte on. */
export interface Arrival {
  /** The webhook's number. */
  readonly webhook: number;
  /** Those that had not come before. */
  readonly events: number;
  /** By the machine's monotonic clock, which is the same in all processes. */
  readonly atMs: number;
}

export interface ReceiverReport {
  /** Different ones of each webhook, by its number. */
  readonly events: readonly number[];
  readonly deliveries: number;
  /** Events that came again. */
  readonly repeated: number;
  /** Deliveries whose signature was verified: a sample. */
  readonly verified: number;
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly string[];
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
