import { randomUUID } from "node:crypto";
import { type StampedeClient, StampedeError } from "#client";
import { CommandError } from "../command-error.ts";

/** Members that are made have it as their memberbase. */
const MEMBERBASE = "Simulated";

/**
 * The id of the member with this ref. Where several memberbases have one, the call has to say which.
 * @throws CommandError
 */
export async function findMember(
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
    throw new CommandError(`no member has the ref "${ref}"${where}: make it by member/bulk-upsert`);
  }
  const base = memberBase ?? (await ownMemberbase(client));
  const [id = ""] = await client.upsertMembers(base, [{ ref }]);
  say(`member ${ref} (${id}), made in ${base}`);
  return id;
}

async function membersWith(client: StampedeClient, ref: string, memberBase: string | undefined) {
  // Of all memberbases, without asking each of them: there may be thousands. One page is more than anybody chooses from.
  const { data } = await client.call("member/find", { ref });
  const found = data.map(({ id, member_base_id: base }) => ({ id, base }));
  if (memberBase === undefined) return found;
  try {
    await client.call("member-base/get", { id: memberBase });
  } catch (error) {
    if (!(error instanceof StampedeError) || error.code !== "not_found") throw error;
    throw new CommandError(`there is no memberbase ${memberBase}`);
  }
  return found.filter(({ base }) => base === memberBase);
}

async function ownMemberbase(client: StampedeClient): Promise<string> {
  const { data } = await client.call("member-base/list", { filters: [{ key: "name", eq: MEMBERBASE }] });
  return (data[0] ?? (await client.createMemberbase(MEMBERBASE, { idempotencyKey: randomUUID() }))).id;
}
