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
  const found: { id: string; base: string }[] = [];
  const look = async (base: string): Promise<void> => {
    const { data } = await client.call("member/list", {
      member_base_id: base,
      filters: [{ key: "ref", eq: ref }],
    });
    for (const { id } of data) found.push({ id, base });
  };
  if (memberBase !== undefined) {
    await look(memberBase).catch((error: unknown) => {
      if (!(error instanceof StampedeError) || error.code !== "not_found") throw error;
      throw new CommandError(`there is no memberbase ${memberBase}`);
    });
    return found;
  }
  for await (const { id } of client.listMemberbases()) await look(id);
  return found;
}

async function ownMemberbase(client: StampedeClient): Promise<string> {
  const { data } = await client.call("member-base/list", { filters: [{ key: "name", eq: MEMBERBASE }] });
  return (data[0] ?? (await client.createMemberbase(MEMBERBASE, { idempotencyKey: randomUUID() }))).id;
}
