import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** The random password in this file (mode 0600), made at the first call. URL-safe as it is: 32 hex characters. */
export function secretIn(file: string): string {
  try {
    const secret = readFileSync(file, "utf8").trim();
    if (/^[0-9a-f]{32}$/.test(secret)) return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const secret = randomBytes(16).toString("hex");
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
