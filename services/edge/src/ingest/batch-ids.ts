import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { V7Generator } from "uuidv7";
import { LIMITS } from "#contract";
import { decodeId, encodeId, uuidTime } from "#domain";
import { type BatchPlaces, packPlaces, unpackPlaces } from "./batch-places.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The content of an id that this installation gave to this organisation. */
export interface OpenedBatch {
  /** The UUID under which findings of the batch are stored. */
  readonly batch: string;
  readonly places: BatchPlaces;
}

/**
 * Ids of ingest batches. A batch that was answered 202 has no row anywhere, so its id names its places in the
 * streams (`BatchPlaces`): `batch_<UUID as in every id>.<sealed places>`.
 *
 * The places are encrypted, because sequences reveal how much all organisations together send. They are
 * authenticated together with the UUID and the organisation: an id that was altered, cut short, or belongs to
 * another organisation cannot be opened.
 */
export class BatchIds {
  readonly #key: KeyObject;
  readonly #now: () => Date;
  readonly #generator = new V7Generator();

  /**
   * @param key 32 bytes that all edge processes of the installation share
   * @param now the database's time, which all processes share, too: one process makes an id and another one
   * judges its age
   */
  constructor(key: Uint8Array, now: () => Date) {
    this.#key = createSecretKey(createHmac("sha256", key).update("stampede:batch:v2").digest());
    this.#now = now;
  }

  /** A new batch's UUID. */
  create(): string {
    return this.#generator.generateOrResetWithTs(this.#now().getTime()).toString();
  }

  /** The id of a batch, once its places are known: at most `LIMITS.batchIdLength` characters. */
  seal(batch: string, organisationId: string, places: BatchPlaces): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(contextOf(batch, organisationId));
    const body = Buffer.concat([cipher.update(packPlaces(places)), cipher.final()]);
    return `${encodeId("batch", batch)}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
  }

  /**
   * Undefined: the id was not given to this organisation, or is so old that batches of that time are not
   * answered any more.
   */
  open(id: string, organisationId: string): OpenedBatch | undefined {
    if (id.length > LIMITS.batchIdLength) return undefined;
    const [name = "", sealed] = id.split(/\.(.*)/s);
    const batch = decodeId("batch", name);
    if (batch === undefined || sealed === undefined) return undefined;
    if (this.#now().getTime() - uuidTime(batch) >= LIMITS.batchKeptMs) return undefined;
    const places = this.#unseal(sealed, contextOf(batch, organisationId));
    return places && { batch, places };
  }

  #unseal(text: string, context: Uint8Array): BatchPlaces | undefined {
    const bytes = Buffer.from(text, "base64url");
    // Decoding skips characters that are not base64url, so the text must equal the one that was given out.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES), options)
      .setAAD(context)
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return unpackPlaces(Buffer.concat([body, decipher.final()]));
    } catch {
      return undefined;
    }
  }
}

function contextOf(batch: string, organisationId: string): Uint8Array {
  return Buffer.from(`${organisationId}\n${batch}`);
}
