import { randomUUID } from "node:crypto";
import type { StampedeClient } from "#client";
import { CommandError } from "../command-error.ts";
import { findOffer, orMissing, type Tools } from "./find-offer.ts";
import type { Play } from "./play-scenario.ts";
import { Purchases } from "./purchases.ts";
import type { Scenario } from "./scenario.ts";

/** The memberbase of members that the command makes. */
const MEMBERBASE = "Simulated";

/**
 * Finds the member, the program or deal, its retailer and the enrolment, and makes the missing ones if it may: all that the
 * first step needs.
 * @throws CommandError that names what is missing
 */
export async function prepareStage(
  { member, memberBase, program, deal, steps, set }: Scenario,
  tools: Tools,
): Promise<Pick<Play, "purchases" | "retailerId">> {
  const pays = steps.some(({ step }) => step === "pay");
  if (pays && tools.platform === undefined) {
    throw new CommandError(
      "pay is the retailer's payment: give --platform-url and --platform-token-file, or leave it out of --steps",
    );
  }
  const memberId = await findMember(tools, member, memberBase);
  const offer = await findOffer(tools, { program, deal, memberId, pays });
  return { purchases: Purchases.begin(memberId, offer, set), retailerId: offer.retailerId };
}

/** The id of the member with this ref. @throws CommandError if several memberbases have one, and none is named */
async function findMember(
  { client, mayMake, say }: Tools,
  ref: string,
  memberBase: string | undefined,
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
