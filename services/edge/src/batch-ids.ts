import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { V7Generator } from "uuidv7";
import { LIMITS } from "#contract";

const TAG_HEX = 8;

/**
 * Ids of ingest batches. A batch that was answered 202 leaves no trace in the database until ingest has applied it (the
 * database may even be down), and yet its id must be told from one that was never given. So the last 32 bits of the UUIDv7
 * are a tag (HMAC-SHA-256) over the rest and the organisation: an id without the right tag is not ours.
 */
export class BatchIds {
  /** As a key object: what else may be a key, Node 24 looks at for 10 µs each time. */
  readonly #key: KeyObject;
  readonly #now: () => Date;
  readonly #generator = new V7Generator();

  /**
   * @param key 32 bytes that all edge processes of the installation share
   * @param now the database's time, which they share too: one process makes an id and another judges its age
   */
  constructor(key: Uint8Array, now: () => Date) {
    this.#key = createSecretKey(key);
    this.#now = now;
  }

  create(organisationId: string): string {
    const id = this.#generator.generateOrResetWithTs(this.#now().getTime()).toString();
    const head = id.slice(0, -TAG_HEX);
    return head + this.#tag(head, organisationId);
  }

  /** Whether the id was made for this organisation, and no longer ago than outcomes are kept. */
  isKnown(id: string, organisationId: string): boolean {
    const head = id.slice(0, -TAG_HEX);
    if (id.slice(-TAG_HEX) !== this.#tag(head, organisationId)) return false;
    const madeAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    return this.#now().getTime() - madeAt < LIMITS.batchKeptMs;
  }

  #tag(head: string, organisationId: string): string {
    const text = `stampede:batch:v1\n${organisationId}\n${head}`;
    return createHmac("sha256", this.#key).update(text).digest("hex").slice(0, TAG_HEX);
  }
}
