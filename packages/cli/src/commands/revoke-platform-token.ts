import { decodeId } from "#domain";
import { deletePlatformToken } from "#platform-db";
import type { Store } from "#postgres";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";

export async function revokePlatformToken(store: Store, given: string, terminal: Terminal): Promise<void> {
  const id = decodeId("atok", given);
  if (id === undefined || !(await deletePlatformToken(store, id))) {
    throw new CommandError(
      `the platform has no token ${given}: \`stampede token list --platform\` shows them`,
    );
  }
  terminal.err(`platform token ${given} is revoked`);
}
