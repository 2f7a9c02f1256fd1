import type { Store } from "#postgres";
import { advanceHorizon } from "./deliveries/advance-horizon.ts";
import {
  type LeaseRenewal,
  type LeaseRequest,
  leaseWebhooks,
  type OwnedWebhooks,
  releaseWebhooks,
  renewLeases,
} from "./deliveries/leases.ts";
import type { DeliveryRequest } from "./deliveries/make-deliveries.ts";
import { type AttemptRecord, recordAttempts } from "./deliveries/record-attempts.ts";
import { takeDeliveries } from "./deliveries/take-deliveries.ts";

type Asked<Request extends { readonly owner: string }> = Omit<Request, "owner">;

/** What the dispatcher asks of the database, for one owner of leases. */
export type DeliveryStore = ReturnType<typeof deliveryStore>;

/** @param owner UUID of one start of one process, so that no lease is taken over by its next start */
export function deliveryStore(store: Store, owner: string) {
  return {
    advanceHorizon: () => advanceHorizon(store),
    lease: (request: Asked<LeaseRequest>) => leaseWebhooks(store, { owner, ...request }),
    renew: (request: Asked<LeaseRenewal>) => renewLeases(store, { owner, ...request }),
    take: (request: Asked<DeliveryRequest>) => takeDeliveries(store, { owner, ...request }),
    record: (request: Asked<AttemptRecord>) => recordAttempts(store, { owner, ...request }),
    release: (request: Asked<OwnedWebhooks>) => releaseWebhooks(store, { owner, ...request }),
  };
}
