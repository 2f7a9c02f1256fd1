import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a secret for this user only. Replaced as a whole and flushed: what depends on it is committed to the database
 * right afterwards, and a loss of power must not leave the one without the other.
 */
export function writeSecretFile(file: string, secret: string): void {
  const partial = `${file}.new`;
  writeFileSync(partial, `${secret}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
  const directory = openSync(dirname(file), "r");
  fsyncSync(directory);
  closeSync(directory);
}
