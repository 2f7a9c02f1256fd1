import { once } from "node:events";

/** The exit code that shells give a command that Ctrl-C ended. */
export const EXIT_INTERRUPTED = 130;

let interrupted: AbortSignal | undefined;

/** Aborts on the first Ctrl-C or SIGTERM, so that the command ends in order; a second one ends it at once. One signal for the whole process. */
export function untilInterrupted(): AbortSignal {
  if (interrupted !== undefined) return interrupted;
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  interrupted = controller.signal;
  return interrupted;
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
