import { FLOW, type Hop, type ServiceName } from "#contract";

/** The services that a transaction passes, in this order; the console only observes. */
export const HOP_SERVICES = [
  "edge",
  "ingest",
  "platform",
  "rewards",
  "webhooks",
] as const satisfies readonly ServiceName[];

export type HopService = (typeof HOP_SERVICES)[number];

/** The hops that a service reads; each partition of a service has one owner, for all of them. */
export function streamsOf(service: HopService): readonly Hop[] {
  return Object.values<Hop>(FLOW).filter(({ consumer }) => consumer === service);
}
