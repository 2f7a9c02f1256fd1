import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "#contract";
import { toUtcMicroseconds } from "#domain";
import { badRequest } from "./read-body.ts";
import type { HttpResponse } from "./server.ts";

interface Pagination {
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly skip?: number;
}

/** A part of a list: up to `limit` records after `after`, without the first `skip`. */
interface ListRequest {
  readonly limit: number;
  /** Where the previous page ended: the id (a UUID) of its last record, or its `next`. */
  readonly after: string | undefined;
  readonly skip: number | undefined;
}

/** A part of a list from the database. */
interface ListPage<T> {
  readonly records: readonly T[];
  /** Whether there are records after the last one. */
  readonly more: boolean;
  /** Where the next page begins, at most 700 bytes of UTF-8; absent: after the last record. */
  readonly next?: string | undefined;
  /** Where a page after this record begins, in at most 700 bytes; absent: after the record's id. */
  placeOf?(record: T): string;
  /** The number of records in the whole list, if it is counted. */
  readonly total?: number;
}

/** A request for one list, and the scope of its cursors. */
interface ListCall {
  readonly cursors: CursorKey;
  /** The endpoint and its filters. */
  readonly scope: string;
  /** The list's owner: an organisation's id, or a fixed text. */
  readonly owner: string;
  readonly pagination: Pagination | undefined;
}

/**
 * Answers a list request: `list` fetches a part of the list, and `write` turns each record into the answer's
 * form. The answer ends before the record that would make it longer than `LIMITS.pageBytes`, but has one.
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
  const listed = await list({ limit, after, skip });
  const texts = writeRecords(listed.records, write);
  const isCut = texts.length < listed.records.length;
  const more = isCut || listed.more;
  const last = listed.records[texts.length - 1];
  const behind = last && (listed.placeOf?.(last) ?? last.id);
  const next = isCut ? behind : (listed.next ?? behind);
  const page = {
    page_size: texts.length,
    cursor: more && next !== undefined ? cursors.seal(next, scope, owner) : null,
    ...(listed.total !== undefined && { total: listed.total }),
    more,
  };
  return { status: 200, body: `{"data":[${texts.join()}],"page":${JSON.stringify(page)}}` };
}

/** As many records as fit into an answer, as JSON. */
function writeRecords<T>(records: readonly T[], write: (record: T) => object): string[] {
  const texts: string[] = [];
  let bytes = 0;
  for (const record of records) {
    const text = JSON.stringify(write(record));
    bytes += Buffer.byteLength(text);
    if (bytes > LIMITS.pageBytes && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

const TAG_BYTES = 16;

/**
 * Makes and opens list cursors: a place in the list, mostly the id of the last record, and a tag over that
 * place, the list and its owner (HMAC-SHA-256, 128 bits), in base64url. A cursor of another list or owner
 * does not open, nor does a damaged one. The owner is an organisation's id, or a fixed text if all callers
 * have the same lists. All processes of a service share the key, so any of them can serve the next page.
 */
export class CursorKey {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(place: string, scope: string, owner: string): string {
    const bytes = Buffer.from(place);
    return Buffer.concat([this.#tag(bytes, scope, owner), bytes]).toString("base64url");
  }

  /** The place in the cursor; undefined if it is not a cursor of this list. */
  open(cursor: string, scope: string, owner: string): string | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    // Decoding skips characters that are not base64url, so the text must equal the one that was given out.
    if (bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor) return undefined;
    const place = bytes.subarray(TAG_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), this.#tag(place, scope, owner))) return undefined;
    return place.toString();
  }

  #tag(place: Uint8Array, scope: string, owner: string): Uint8Array {
    const text = `stampede:cursor:v2\n${owner}\n${scope}\n`;
    return createHmac("sha256", this.#key).update(text).update(place).digest().subarray(0, TAG_BYTES);
  }
}

/**
 * Moments from `since` on and before `until`, in the form of `toUtcMicroseconds`; undefined: without that
 * bound.
 */
export interface TimeSpan {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * Reads a request's span of time.
 * @throws ApiError `bad_request` if it is empty: nothing could ever be in it
 */
export function readTimeSpan({ since, until }: { since?: string; until?: string }): TimeSpan {
  const span = { since: since && toUtcMicroseconds(since), until: until && toUtcMicroseconds(until) };
  // In this form texts sort like the times.
  if (span.since !== undefined && span.until !== undefined && span.until <= span.since) {
    throw badRequest("/until must be after since", { path: "/until", message: "must be after since" });
  }
  return span;
}
