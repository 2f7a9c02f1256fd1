/** For the tests of what is built on the client: events, signed deliveries, and a service that is none. */
export { type SignDeliveryOptions, type SignedDelivery, signDelivery } from "./sign-delivery.ts";
