import type { StampedeClient } from "#client";
import { CommandError } from "../command-error.ts";

const MEMBERBASE = "demo";

/** Sees to it that the memberbase `demo` has members of these refs; their ids by ref. */
export async function enrolMembers(
  client: StampedeClient,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const memberbaseId = (await findMemberbase(client)) ?? (await client.createMemberbase(MEMBERBASE)).id;
  const ids = await client.upsertMembers(
    memberbaseId,
    refs.map((ref) => ({ ref })),
  );
  const byRef = new Map(refs.map((ref, i) => [ref, ids[i] ?? ""]));
  if (ids.length !== refs.length || new Set(ids).size !== refs.length) {
    throw new CommandError(
      `member/bulk-upsert of ${refs.length} refs gave ${new Set(ids).size} different ids`,
    );
  }
  return byRef;
}

async function findMemberbase(client: StampedeClient): Promise<string | undefined> {
  for await (const { id, name } of client.listMemberbases()) if (name === MEMBERBASE) return id;
  return undefined;
}
