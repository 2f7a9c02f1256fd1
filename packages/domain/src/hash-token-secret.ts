import { hash } from "node:crypto";

/** What is stored of a token secret: SHA-256, 32 bytes. Its 256 random bits need no salt. */
export function hashTokenSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}
