import { randomBytes } from "node:crypto";
import { createTokenSecret, decodeId, hashTokenSecret } from "#domain";
import { replaceRetailerToken } from "#platform-db";
import type { Store } from "#postgres";
import { CommandError } from "../command-error.ts";
import type { Terminal } from "../terminal.ts";

/** A retailer has one token. The secret of the new one, and nothing else, goes to `out`; the one before ends at once. */
export async function remakeRetailerToken(store: Store, given: string, terminal: Terminal): Promise<void> {
  const secret = createTokenSecret(randomBytes(32));
  const id = decodeId("ret", given);
  const tokenHash = hashTokenSecret(secret);
  const name = id === undefined ? undefined : await replaceRetailerToken(store, { id, tokenHash });
  if (name === undefined)
    throw new CommandError(`no retailer ${given}: retailer/list of the platform shows them`);
  terminal.err(
    `retailer "${name}" (${given}) has a new token, and the one before is refused; shown only here:`,
  );
  terminal.out(secret);
}
