import { PlatformClient, StampedeClient } from "#client";
import { CommandError } from "../command-error.ts";
import { SOMEBODY_WAITS } from "../patience.ts";
import type { PublisherAccess } from "../publisher-access.ts";
import { findMember } from "./find-member.ts";
import { findOffer, type Offer } from "./find-offer.ts";
import type { Scenario } from "./scenario.ts";

/** Where a scenario is played, and what may be made there. */
export interface StageOptions {
  readonly publisher: PublisherAccess;
  /** undefined: the platform is not known, so that no payment can be sent. */
  readonly platform: PublisherAccess | undefined;
  /** It is the all-in-one of this machine: what is missing is made. Anywhere else it is only named. */
  readonly mayMake: boolean;
  readonly say: (line: string) => void;
}

/** Everything that has to be there before the first step. */
export interface Stage {
  readonly client: StampedeClient;
  readonly platform: PlatformClient | undefined;
  readonly memberId: string;
  readonly offer: Offer;
  close(): Promise<void>;
}

/**
 * Finds the member, the program or deal, its retailer and the enrolment, and makes what is missing if that is allowed.
 * @throws CommandError that names what is missing
 */
export async function prepareStage(
  { member, memberBase, program, deal, steps }: Omit<Scenario, "set">,
  { publisher, platform: access, mayMake, say }: StageOptions,
): Promise<Stage> {
  const client = new StampedeClient({ ...publisher, ...SOMEBODY_WAITS });
  const platform = access && new PlatformClient({ ...access, ...SOMEBODY_WAITS });
  const close = async () => {
    await Promise.all([client.close(), platform?.close()]);
  };
  try {
    const pays = steps.some(({ step }) => step === "pay");
    if (pays && platform === undefined) {
      throw new CommandError(
        "pay is the retailer's payment: give --platform-url and --platform-token-file, or leave it out of --steps",
      );
    }
    const memberId = await findMember(client, { ref: member, memberBase }, { mayMake, say });
    const offer = await findOffer({ client, platform, mayMake, say }, { program, deal, memberId, pays });
    return { client, platform, memberId, offer, close };
  } catch (error) {
    await close();
    throw error;
  }
}
