import type { StampedeClient } from "#client";

/** The id of the memberbase with this name; it is made if it is not there. */
export async function memberbaseNamed(client: StampedeClient, name: string): Promise<string> {
  const filters = [{ key: "name", eq: name }] as const;
  for await (const { id } of client.list("member-base/list", { filters })) return id;
  return (await client.createMemberbase(name)).id;
}
