import type { PlatformRouteName } from "../../platform-routes.ts";
import type { ResourceOf } from "../resource-of.ts";

/** Resources (the part of a route before the slash), in the order of the reference page. */
export const RESOURCES: { readonly [R in ResourceOf<PlatformRouteName>]: string } = {
  "loyalty-program": "Stamp cards. Every change goes to the publishers.",
  deal: "Offers for single purchases. Every change goes to the publishers.",
  retailer: "Which transactions belong to which retailer.",
  payment: "Payments to retailers.",
};
