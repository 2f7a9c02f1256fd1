import { LIMITS } from "#contract";
import { badRequest } from "./api.ts";
import type { CursorKey } from "./cursor-key.ts";

interface Pagination {
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly skip?: number;
}

/** Which part of a list ordered by id: up to `limit` records behind the id `after`, `skip` of them left out. */
export interface ListRequest {
  readonly limit: number;
  /** UUID. */
  readonly after: string | undefined;
  readonly skip: number | undefined;
}

/** A part of a list as a store gives it. */
export interface ListPage<T> {
  readonly records: readonly T[];
  /** Whether a record stands behind the last one. */
  readonly more: boolean;
  /** Records of the whole list, where that is told. */
  readonly total?: number;
}

/**
 * What a list request asks of the store.
 * @param scope what the cursor is bound to: the endpoint and its filters
 * @param owner whose list it is
 * @throws ApiError `bad_request` for a cursor that is not of this list
 */
export function readPage(
  cursors: CursorKey,
  scope: string,
  owner: string,
  pagination: Pagination = {},
): ListRequest {
  const { cursor } = pagination;
  const after = typeof cursor === "string" ? cursors.open(cursor, scope, owner) : undefined;
  if (typeof cursor === "string" && after === undefined) {
    throw badRequest("the cursor is not of this list", {
      path: "/pagination/cursor",
      message: "is damaged or belongs to another list",
    });
  }
  return { limit: pagination.limit ?? LIMITS.pageLimitDefault, after, skip: pagination.skip };
}

/** The envelope of a list answer. */
export function writePage<T extends { readonly id: string }, R>(
  cursors: CursorKey,
  scope: string,
  owner: string,
  page: ListPage<T>,
  write: (record: T) => R,
) {
  const last = page.records.at(-1);
  const cursor = page.more && last !== undefined ? cursors.seal(last.id, scope, owner) : null;
  return {
    data: page.records.map(write),
    page: {
      page_size: page.records.length,
      cursor,
      ...(page.total !== undefined && { total: page.total }),
      more: page.more,
    },
  };
}
