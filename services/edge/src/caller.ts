import type { AccessLevel } from "#contract";
import type { Call, Endpoint } from "#http";

/** Who calls the publisher API: what an API token stands for. */
export interface Caller {
  readonly organisationId: string;
  readonly tokenId: string;
  readonly access: AccessLevel;
}

export type PublisherCall<Body = unknown> = Call<Caller, Body>;
export type PublisherEndpoint = Endpoint<Caller>;
