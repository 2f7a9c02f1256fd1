import type { PlatformClient, PlatformLink, PublisherClient } from "#test-support";
import type { MixedPost } from "./mixed-post.ts";
import type { Till } from "./till.ts";

/** The shared parts of one round's runs: an organisation, its clients, and a listener for every command. */
export interface RewardRound {
  readonly organisationId: string;
  readonly client: PublisherClient;
  readonly till: Till;
  /** Stands in for a platform, for runs that have none. */
  readonly link: PlatformLink;
  /** The platform's operator, and the software of all shops of the round. */
  readonly operator: PlatformClient;
  readonly shop: PlatformClient;
  readonly post: MixedPost;
  /** The stamp collections and clips of all runs, by their ids in the API, with their runs. */
  readonly owned: { readonly id: string; readonly run: number }[];
  performed(): void;
}
