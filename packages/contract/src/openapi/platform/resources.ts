import type { PlatformRouteName } from "../../platform-routes.ts";
import type { ResourceOf } from "../resource-of.ts";

/** What stands before the slash of a route, in the order of the reference page. */
export const RESOURCES: { readonly [R in ResourceOf<PlatformRouteName>]: string } = {
  "loyalty-program": "Stamp cards. Every change goes to the publishers.",
  deal: "Offers for single purchases. Every change goes to the publishers.",
  retailer: "Whose transactions are whose.",
  payment: "What retailers were paid.",
};
