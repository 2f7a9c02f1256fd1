/** A delivery as it is shown, with its last attempt. Ids are UUIDs. */
export interface DeliveryRecord {
  readonly id: string;
  readonly webhookId: string;
  /** In order. An event that is no longer kept is left out. */
  readonly eventIds: readonly string[];
  /** `failed`: parked, or a test that failed. */
  readonly state: DeliveryStanding;
  readonly attempts: number;
  /** HTTP status of the last attempt; null where there was none. */
  readonly status: number | null;
  readonly errorClass: string | null;
  readonly answer: string | null;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  /** Of a pending one; null: as soon as it is its turn. */
  readonly nextAttemptAt: Date | null;
}

export type DeliveryStanding = "pending" | "delivered" | "failed";
