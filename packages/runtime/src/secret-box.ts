import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";
const CHECKED = "stampede:key-check:v1";
const CHECK_CHARACTERS = 12;
/** `<id>:<base64 of 32 bytes>`. */
const KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** A stored secret, and the key that opens it. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, authentication tag, ciphertext. */
  readonly bytes: Uint8Array;
}

/**
 * Encrypts data that must be read again, but not by everyone who can read the database: AES-256-GCM
 * (contract, section 10). The first key seals; the others open seals from before a rotation.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  /** Id of the key that seals. */
  readonly currentKeyId: string;

  /**
   * @param spec `id:base64,id:base64,…`, each key 32 bytes, the newest first
   * @throws Error with a message about the fault that shows no key
   */
  constructor(spec: string) {
    const keys = new Map<string, Uint8Array>();
    for (const [i, part] of spec.split(",").entries()) {
      const [, id, encoded] = KEY.exec(part.trim()) ?? [];
      const bytes = Buffer.from(encoded ?? "", "base64");
      if (id === undefined || bytes.length !== KEY_BYTES) {
        throw new Error(`key ${i + 1} must be an id, a colon and the base64 of ${KEY_BYTES} bytes`);
      }
      if (keys.has(id)) throw new Error(`has the key id ${id} twice`);
      keys.set(id, bytes);
    }
    this.#keys = keys;
    this.currentKeyId = [...keys.keys()][0] as string;
  }

  /**
   * By key id: a value that only a holder of the key can compute, and that reveals nothing about it, for
   * comparing the keys of processes.
   */
  get checkValues(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#keys].map(([id, key]) => [
        id,
        createHmac("sha256", key).update(CHECKED).digest("hex").slice(0, CHECK_CHARACTERS),
      ]),
    );
  }

  /**
   * @param context the owner of the secret, such as a record's id; the secret opens only with the same
   * context
   */
  seal(plain: Uint8Array, context: string): Sealed {
    const key = this.#keys.get(this.currentKeyId) as Uint8Array;
    // Random 96-bit nonces are safe for 2^32 messages under one key (NIST SP 800-38D), far more than come.
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return { keyId: this.currentKeyId, bytes: Buffer.concat([nonce, cipher.getAuthTag(), body]) };
  }

  /** @throws Error if the key is not known, the bytes were changed, or the context differs */
  open({ keyId, bytes }: Sealed, context: string): Uint8Array {
    const key = this.#keys.get(keyId);
    if (key === undefined) throw new Error(`the key ${keyId} is not among STAMPEDE_ENCRYPTION_KEYS`);
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  }
}

/** A new key in the form that `SecretBox` takes, named for the day it was made. */
export function makeEncryptionKey(now: Date): string {
  return `k${now.toISOString().slice(0, 10).replaceAll("-", "")}:${randomBytes(KEY_BYTES).toString("base64")}`;
}
