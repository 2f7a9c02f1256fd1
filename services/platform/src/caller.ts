import type { Call, Endpoint } from "#http";

/** Who calls the platform: what a token of it stands for. Ids are UUIDs. */
export type PlatformCaller =
  | { readonly kind: "platform"; readonly tokenId: string }
  | { readonly kind: "retailer"; readonly retailerId: string };

export type PlatformCall<Body = unknown> = Call<PlatformCaller, Body>;
export type PlatformEndpoint = Endpoint<PlatformCaller>;
