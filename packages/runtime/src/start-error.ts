/** A process cannot start for a reason that the operator can mend. `message` is one line that says what to do. */
export class StartError extends Error {
  readonly code: string;
  /** Whether it may mend itself, like a server that is away: then whoever starts waits for it (`untilServed`). */
  readonly passes: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; passes?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "StartError";
    this.code = code;
    this.passes = options.passes ?? false;
  }
}

/** Turns a failed `listen` into a StartError that names the setting to change; other faults pass through. */
export function explainListenError(
  error: unknown,
  what: string,
  host: string,
  port: number,
  key: string,
): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  const address = `${host}:${port}`;
  if (code === "EADDRINUSE") {
    return new StartError(
      "port_taken",
      `${address} is taken: stop what listens there, or set ${key} for the ${what}`,
    );
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL") {
    return new StartError(
      "port_refused",
      `cannot listen on ${address} (${code}): set ${key} for the ${what}`,
    );
  }
  return error;
}
