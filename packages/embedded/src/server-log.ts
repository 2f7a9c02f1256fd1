import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";

const ROTATE_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;

/**
 * Opens a server's log for appending and returns its descriptor. A file grown past 8 MiB becomes `<file>.1` first, so a
 * log takes at most twice that and what one run adds. Servers write to the file themselves: a pipe through us would
 * break when we are killed, and they would die of it before they could shut down.
 */
export function openServerLog(file: string): number {
  try {
    if (statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`);
  } catch {
    // no log yet
  }
  return openSync(file, "a", 0o640);
}

/** The size of the log now: where the lines of the next start begin. */
export function logSize(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** What a server wrote since `from` (the last 8 KiB of it), as lines. */
export function logLinesSince(file: string, from: number): string[] {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const start = Math.max(from, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      readSync(fd, buffer, 0, buffer.length, start);
      return buffer
        .toString("utf8")
        .split("\n")
        .filter((line) => line.trim() !== "");
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
}
