import { createHmac, timingSafeEqual } from "node:crypto";

const UUID_BYTES = 16;
const TAG_BYTES = 16;

/**
 * Makes and opens list cursors: the id of the last record and a tag over it, the list and its owner (HMAC-SHA-256, 128
 * bits), in base64url. A cursor of another list or owner, or a damaged one, does not open. The owner is an organisation's
 * id, or a fixed text where everybody has the same lists. All processes of a service share the key, so a walk may go on at
 * any of them.
 */
export class CursorKey {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(id: string, scope: string, owner: string): string {
    const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
    return Buffer.concat([bytes, this.#tag(bytes, scope, owner)]).toString("base64url");
  }

  /** The UUID in it; undefined when it is not a cursor of this list. */
  open(cursor: string, scope: string, owner: string): string | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding skips what is not base64url: only the exact text that was given out counts.
    if (bytes.length !== UUID_BYTES + TAG_BYTES || bytes.toString("base64url") !== cursor) return undefined;
    const id = bytes.subarray(0, UUID_BYTES);
    if (!timingSafeEqual(bytes.subarray(UUID_BYTES), this.#tag(id, scope, owner))) return undefined;
    return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  #tag(id: Uint8Array, scope: string, owner: string): Uint8Array {
    const text = `stampede:cursor:v1\n${owner}\n${scope}\n`;
    return createHmac("sha256", this.#key).update(text).update(id).digest().subarray(0, TAG_BYTES);
  }
}
