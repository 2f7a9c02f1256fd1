import type { Store } from "#postgres";
import { type Advanced, advanceHorizon, NOTHING } from "./deliveries/advance-horizon.ts";
import type { AttemptRecord } from "./deliveries/attempt-record.ts";
import { type OwnedWebhooks, readTargets } from "./deliveries/leased-webhook.ts";
import {
  type LeaseRenewal,
  type LeaseRequest,
  leaseWebhooks,
  releaseWebhooks,
  renewLeases,
} from "./deliveries/leases.ts";
import { recordAttempts } from "./deliveries/record-attempts.ts";
import { type DeliveryRequest, takeDeliveries } from "./deliveries/take-deliveries.ts";

type Asked<Request extends { readonly owner: string }> = Omit<Request, "owner">;

/** The dispatcher's statements, for one owner of leases. */
export type DeliveryStore = ReturnType<typeof deliveryStore>;

/**
 * @param owner UUID of one start of one process, so that its next start takes over no lease
 * @param numbers the most numbers that a step of the horizon passes
 */
export function deliveryStore(store: Store, owner: string, numbers?: number) {
  let before = NOTHING;
  return {
    async advanceHorizon(request: Asked<LeaseRequest>): Promise<Advanced> {
      const known = before;
      // If the statement fails, the next answer may come from a database that was restored or promoted.
      before = NOTHING;
      before = await advanceHorizon(store, { owner, numbers, ...request }, known);
      return before;
    },
    lease: (request: Asked<LeaseRequest>) => leaseWebhooks(store, { owner, ...request }),
    renew: (request: Asked<LeaseRenewal>) => renewLeases(store, { owner, ...request }),
    target: (request: Asked<OwnedWebhooks>) => readTargets(store, { owner, ...request }),
    take: (request: Asked<DeliveryRequest>) => takeDeliveries(store, { owner, ...request }),
    record: (request: Asked<AttemptRecord>) => recordAttempts(store, { owner, ...request }),
    release: (request: Asked<OwnedWebhooks>) => releaseWebhooks(store, { owner, ...request }),
  };
}
