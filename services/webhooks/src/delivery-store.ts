import type { Store } from "#postgres";
import { advanceHorizon } from "./deliveries/advance-horizon.ts";
import type { DeliveryAttempt, LeasedWebhook, PendingDelivery } from "./deliveries/delivery-work.ts";
import { leaseWebhooks } from "./deliveries/lease-webhooks.ts";
import { recordAttempts } from "./deliveries/record-attempts.ts";
import { releaseWebhooks } from "./deliveries/release-webhooks.ts";
import { renewLeases } from "./deliveries/renew-leases.ts";
import { takeDeliveries } from "./deliveries/take-deliveries.ts";

/** What the dispatcher asks of the database, for one owner of leases. */
export interface DeliveryStore {
  /** Events that webhooks are told of only now. */
  advanceHorizon(): Promise<number>;
  lease(request: { leaseMs: number; limit: number }): Promise<LeasedWebhook[]>;
  /** Those that are still this owner's, and enabled. */
  renew(request: { webhookIds: readonly string[]; leaseMs: number }): Promise<string[]>;
  take(request: { webhookIds: readonly string[]; perWebhook: number }): Promise<PendingDelivery[]>;
  /** Webhooks that are not this owner's any more: nothing was recorded of them. */
  record(request: { attempts: readonly DeliveryAttempt[] }): Promise<string[]>;
  release(request: { webhookIds: readonly string[] }): Promise<void>;
}

/** @param owner UUID of one start of one process: a lease outlives neither */
export function deliveryStore(store: Store, owner: string): DeliveryStore {
  return {
    advanceHorizon: () => advanceHorizon(store),
    lease: (request) => leaseWebhooks(store, { owner, ...request }),
    renew: (request) => renewLeases(store, { owner, ...request }),
    take: (request) => takeDeliveries(store, { owner, ...request }),
    record: (request) => recordAttempts(store, { owner, ...request }),
    release: (request) => releaseWebhooks(store, { owner, ...request }),
  };
}
