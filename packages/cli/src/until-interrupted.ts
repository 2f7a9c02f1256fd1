/** Ctrl-C or SIGTERM aborts the signal, so that a command ends in order; a second one ends the process at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
