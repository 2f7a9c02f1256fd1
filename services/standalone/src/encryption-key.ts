import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeEncryptionKey, type Settings } from "#runtime";
import { writeSecretFile } from "./secret-file.ts";

/** The keys of the environment; else the one in `<data dir>/encryption-key`, mode 0600, made at the first start. */
export function provideEncryptionKeys({ encryptionKeys }: Settings, dataDir: string): string {
  if (encryptionKeys !== undefined) return encryptionKeys;
  const file = join(dataDir, "encryption-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = makeEncryptionKey(new Date());
  writeSecretFile(file, made);
  return made;
}
