const NOTABLE = new Set(["warn", "error", "fatal"]);

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
}

/**
 * What of a service's log the terminal shows: warnings and errors, shortened to a line, and whatever is not a log line
 * at all (a start failure, the runtime's own last words). Undefined for the rest.
 */
export function notableLine(line: string): string | undefined {
  if (!line.startsWith("{")) return line;
  try {
    const { level = "", msg = "", err } = JSON.parse(line) as LogLine;
    if (!NOTABLE.has(level)) return undefined;
    return `${level}: ${msg}${err?.message ? ` (${err.message})` : ""}`;
  } catch {
    return line;
  }
}

/** Whether this is a log line of ours: the reason why a service could not start is the last line that is not. */
export function isLogLine(line: string): boolean {
  return line.startsWith("{");
}
