export { Change, type Observation, type Source } from "./change.ts";
export { differingKeys } from "./differing-keys.ts";
export { getText } from "./get-text.ts";
export { HOP_SERVICES, type HopService, streamsOf } from "./hop-services.ts";
export { HOP_METRICS, type HopState, type HopStatus, readHops, readServiceHops } from "./hops.ts";
export { observe, type ReadySource } from "./observe.ts";
export { quantileOf } from "./quantile.ts";
export { type Labels, Scrape } from "./scrape.ts";
export { Targets } from "./targets.ts";
