import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "#contract";
import { jsonResponse } from "./envelope.ts";
import { badRequest } from "./read-body.ts";
import type { HttpResponse } from "./server.ts";

interface Pagination {
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly skip?: number;
}

/** A part of a list ordered by id: up to `limit` records after `after`, without the first `skip`. */
interface ListRequest {
  readonly limit: number;
  /** UUID. */
  readonly after: string | undefined;
  readonly skip: number | undefined;
}

/** A part of a list as the database gives it. */
interface ListPage<T> {
  readonly records: readonly T[];
  /** Whether there are records after the last one. */
  readonly more: boolean;
  /** The id behind which the next page begins; without it that of the last record. */
  readonly next?: string | undefined;
  /** How many records the whole list has, if that is counted. */
  readonly total?: number;
}

/** A request for one list, and what its cursors are bound to. */
interface ListCall {
  readonly cursors: CursorKey;
  /** The endpoint and its filters. */
  readonly scope: string;
  /** Whose list it is: an organisation's id, or a fixed text. */
  readonly owner: string;
  readonly pagination: Pagination | undefined;
}

/**
 * Answers a list request: `list` fetches a part of the list, and `write` turns each record into the answer's
 * form.
 * @throws ApiError `bad_request`, before `list` is called, for a cursor that belongs to another list
 */
export async function answerList<T extends { readonly id: string }>(
  { cursors, scope, owner, pagination = {} }: ListCall,
  list: (request: ListRequest) => Promise<ListPage<T>>,
  write: (record: T) => object,
): Promise<HttpResponse> {
  const { cursor, limit = LIMITS.pageLimitDefault, skip } = pagination;
  const after = typeof cursor === "string" ? cursors.open(cursor, scope, owner) : undefined;
  if (typeof cursor === "string" && after === undefined) {
    throw badRequest("the cursor is not of this list", {
      path: "/pagination/cursor",
      message: "is damaged or belongs to another list",
    });
  }
  const { records, more, total, next } = await list({ limit, after, skip });
  const last = next ?? records.at(-1)?.id;
  return jsonResponse(200, {
    data: records.map(write),
    page: {
      page_size: records.length,
      cursor: more && last !== undefined ? cursors.seal(last, scope, owner) : null,
      ...(total !== undefined && { total }),
      more,
    },
  });
}

const UUID_BYTES = 16;
const TAG_BYTES = 16;

/**
 * Makes and opens list cursors: the id of the last record and a tag over that id, the list and its owner
 * (HMAC-SHA-256, 128 bits), in base64url. A cursor of another list or owner does not open, nor does a damaged
 * one. The owner is an organisation's id, or a fixed text where everybody has the same lists. All processes
 * of a service share the key, so any of them can serve the next page.
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

  /** The UUID in the cursor; undefined if it is not a cursor of this list. */
  open(cursor: string, scope: string, owner: string): string | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding skips characters that are not base64url: only the exact text that was given out counts.
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
