export { Change, type Observation, quantileOf, type Source } from "./change.ts";
export { differingKeys } from "./differing-keys.ts";
export { HOP_SERVICES, type HopService, streamsOf } from "./hop-services.ts";
export { type HopStatus, readHops, readServiceHops } from "./hops.ts";
export { getText, observe, type ReadySource } from "./observe.ts";
export { describeReplay, REPLAY_METRICS, type ReplayStatus, readReplays } from "./replays.ts";
export { type Labels, Scrape } from "./scrape.ts";
export { HOP_METRICS } from "./service-numbers.ts";
export { Targets } from "./targets.ts";
