import type { StampedeClient } from "#client";
import { CommandError } from "../command-error.ts";

/**
 * Sees to it that a run's memberbase has members of these refs; their ids by ref. Every run has members of its own, whose
 * wallets are empty at first.
 * @param isSentAgain it must be there then
 */
export async function enrolMembers(
  client: StampedeClient,
  tag: string,
  refs: readonly string[],
  isSentAgain: boolean,
): Promise<ReadonlyMap<string, string>> {
  const name = `demo-${tag}`;
  const found = await findMemberbase(client, name);
  if (found === undefined && isSentAgain) {
    throw new CommandError(
      `there is no memberbase "${name}": it was deleted, or an earlier version made the run. Leave out --run to make a new one`,
    );
  }
  const memberbaseId = found ?? (await client.createMemberbase(name)).id;
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

async function findMemberbase(client: StampedeClient, wanted: string): Promise<string | undefined> {
  const filters = [{ key: "name" as const, eq: wanted }];
  const { data } = await client.call("member-base/list", { filters });
  return data[0]?.id;
}
