import type { Store } from "#postgres";
import { makeConsoleLink } from "#publisher-db";

/** The line that lets whoever runs the demo into the console, to watch. */
export async function watchLine(store: Store, consoleUrl: string): Promise<string> {
  return `watch it: ${await makeConsoleLink(store, consoleUrl, { user: "demo", role: "operator" })}`;
}
