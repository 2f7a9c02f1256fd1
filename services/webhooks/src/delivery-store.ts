import type { Store } from "#postgres";
import { type Advanced, advanceHorizon, NOTHING } from "./deliveries/advance-horizon.ts";
import type { AttemptRecord } from "./deliveries/delivery-attempt.ts";
import {
  type LeaseRenewal,
  type LeaseRequest,
  leaseWebhooks,
  type OwnedWebhooks,
  readTargets,
  releaseWebhooks,
  renewLeases,
} from "./deliveries/leases.ts";
import { OlderProcesses } from "./deliveries/older-processes.ts";
import { recordAttempts } from "./deliveries/record-attempts.ts";
import { type DeliveryRequest, takeDeliveries } from "./deliveries/take-deliveries.ts";

type Asked<Request extends { readonly owner: string }> = Omit<Request, "owner">;

/** What the dispatcher asks of the database, for one owner of leases. */
export type DeliveryStore = ReturnType<typeof deliveryStore>;

/**
 * @param owner UUID of one start of one process, so that no lease is taken over by its next start
 * @param numbers that a step of the horizon passes at most
 */
export function deliveryStore(store: Store, owner: string, numbers?: number) {
  let before = NOTHING;
  const older = new OlderProcesses(store);
  return {
    async advanceHorizon(request: Asked<LeaseRequest>): Promise<Advanced> {
      const known = before;
      // What it knew may be of another database than the next one to answer, which was restored or promoted.
      before = NOTHING;
      before = await advanceHorizon(store, { owner, older, numbers, ...request }, known);
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
