import { encodeId } from "#domain";
import { listPlatformTokens } from "#platform-db";
import type { Store } from "#postgres";
import type { Terminal } from "../terminal.ts";

/** One line each, tab-separated: id, when it was made, description. */
export async function showPlatformTokens(store: Store, terminal: Terminal): Promise<void> {
  for (const { id, createdAt, description } of await listPlatformTokens(store)) {
    terminal.out([encodeId("atok", id), createdAt.toISOString(), description].join("\t"));
  }
}
