import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { createTokenSecret, encodeId, hashTokenSecret } from "#domain";
import { createPlatformToken } from "#platform-db";
import type { Store } from "#postgres";
import type { Terminal } from "../terminal.ts";

/** Makes a token of the reference platform. The secret, and nothing else, goes to `out`; this is the only time it is seen. */
export async function makePlatformToken(
  store: Store,
  description: string,
  terminal: Terminal,
): Promise<void> {
  const secret = createTokenSecret(randomBytes(32));
  const id = uuidv7();
  await createPlatformToken(store, { id, description, secretHash: hashTokenSecret(secret) });
  terminal.err(`platform token ${encodeId("atok", id)}; its secret is shown only here:`);
  terminal.out(secret);
}
