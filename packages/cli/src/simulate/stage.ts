import { randomUUID } from "node:crypto";
import { PlatformClient, StampedeClient } from "#client";
import { CommandError } from "../command-error.ts";
import { INTERACTIVE, type PublisherAccess } from "../publisher-access.ts";
import { findOffer, type Offer, orMissing } from "./find-offer.ts";
import type { Scenario } from "./scenario.ts";

/** The memberbase of members that the command makes. */
const MEMBERBASE = "Simulated";

/** Where a scenario is played, and what may be made there. */
interface StageOptions {
  readonly publisher: PublisherAccess;
  /** undefined: the platform is not known, so that no payment can be sent. */
  readonly platform: PublisherAccess | undefined;
  /** On the all-in-one of this machine missing records are made. Elsewhere an error names them. */
  readonly mayMake: boolean;
  readonly say: (line: string) => void;
}

/** All that the first step needs. */
interface Stage {
  readonly client: StampedeClient;
  readonly platform: PlatformClient | undefined;
  readonly memberId: string;
  readonly offer: Offer;
  close(): Promise<void>;
}

/**
 * Finds the member, the program or deal, its retailer and the enrolment, and makes the missing ones if it may.
 * @throws CommandError that names what is missing
 */
export async function prepareStage(
  { member, memberBase, program, deal, steps }: Omit<Scenario, "set">,
  { publisher, platform: access, mayMake, say }: StageOptions,
): Promise<Stage> {
  const client = new StampedeClient({ ...publisher, ...INTERACTIVE });
  const platform = access && new PlatformClient({ ...access, ...INTERACTIVE });
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

/** The id of the member with this ref. @throws CommandError if several memberbases have one, and none is named */
async function findMember(
  client: StampedeClient,
  { ref, memberBase }: { readonly ref: string; readonly memberBase: string | undefined },
  { mayMake, say }: { readonly mayMake: boolean; readonly say: (line: string) => void },
): Promise<string> {
  const found = await membersWith(client, ref, memberBase);
  const [first] = found;
  if (found.length > 1) {
    const bases = found.map(({ base }) => base).join(", ");
    throw new CommandError(
      `${found.length} members have the ref "${ref}": choose one with --member-base (${bases})`,
    );
  }
  if (first !== undefined) {
    say(`member ${ref} (${first.id}) of ${first.base}`);
    return first.id;
  }
  if (!mayMake) {
    const where = memberBase === undefined ? "" : ` in ${memberBase}`;
    throw new CommandError(`no member has the ref "${ref}"${where}: make it with member/bulk-upsert`);
  }
  const base = memberBase ?? (await ownMemberbase(client));
  const [id = ""] = await client.upsertMembers(base, [{ ref }]);
  say(`member ${ref} (${id}), made in ${base}`);
  return id;
}

async function membersWith(client: StampedeClient, ref: string, memberBase: string | undefined) {
  // One question for all memberbases, of which there may be thousands. One page is enough to choose from.
  const { data } = await client.call("member/find", { ref });
  const found = data.map(({ id, member_base_id: base }) => ({ id, base }));
  if (memberBase === undefined) return found;
  await orMissing(client.call("member-base/get", { id: memberBase }), `there is no memberbase ${memberBase}`);
  return found.filter(({ base }) => base === memberBase);
}

async function ownMemberbase(client: StampedeClient): Promise<string> {
  const { data } = await client.call("member-base/list", { filters: [{ key: "name", eq: MEMBERBASE }] });
  return (data[0] ?? (await client.createMemberbase(MEMBERBASE, { idempotencyKey: randomUUID() }))).id;
}
