export { Change, type Observation, type Source } from "./change.ts";
export { getText } from "./get-text.ts";
export {
  HOP_METRICS,
  HOP_SERVICES,
  type HopService,
  type HopState,
  type HopStatus,
  readHops,
  readServiceHops,
  streamsOf,
} from "./hops.ts";
export { observe, type ReadySource } from "./observe.ts";
export { quantileOf } from "./quantile.ts";
export { type Labels, Scrape } from "./scrape.ts";
