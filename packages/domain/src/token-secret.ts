import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * API token secrets (contract, section 3): `stp_live_`, 32 random bytes in base62, and the CRC-32 of that
 * text in base62. The checksum lets a mistyped or made-up token be refused without asking the database, and
 * lets secret scanners recognise a leaked one.
 */
const PREFIX = "stp_live_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 > 2^256 and 62^6 > 2^32: both parts have a fixed length. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** @param random 32 bytes from a cryptographic source */
export function createTokenSecret(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError("a token secret is made of 32 random bytes");
  let number = 0n;
  for (const byte of random) number = (number << 8n) | BigInt(byte);
  const text = base62(number, RANDOM_LENGTH);
  return PREFIX + text + checksum(text);
}

/**
 * Whether `text` has the form of a token secret and its checksum holds. Says nothing about whether there is
 * such a token.
 */
export function isTokenSecret(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return checksum(random) === text.slice(PREFIX.length + RANDOM_LENGTH);
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let rest = number;
  let text = "";
  for (let i = 0; i < length; i++) {
    text = ALPHABET[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}

/** The stored hash of a token secret: SHA-256, 32 bytes. Its 256 random bits need no salt. */
export function hashTokenSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}
