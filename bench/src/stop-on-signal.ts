const INTERRUPTED = 130;

/** Ctrl-C leaves neither servers nor their data behind. The signal tells that what fails now was stopped on purpose. */
export function stopOnSignal(running: { stop(): Promise<void> }, say: (text: string) => void): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      say("interrupted: stopping the servers, removing their data");
      interrupt.abort();
      void running.stop().finally(() => process.exit(INTERRUPTED));
    });
  }
  return interrupt.signal;
}
