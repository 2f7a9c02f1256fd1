import { LIMITS } from "#contract";
import { badRequest } from "#http";
import type { PageRequest, Page as StoredPage } from "#store";
import type { CursorKey } from "./cursor.ts";

interface Pagination {
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly skip?: number;
}

/** What a list request asks of the store. `scope` is what the cursor is bound to: the endpoint and its filters. */
export function readPage(
  cursors: CursorKey,
  scope: string,
  organisationId: string,
  pagination: Pagination = {},
): PageRequest {
  const { cursor } = pagination;
  const after = typeof cursor === "string" ? cursors.open(cursor, scope, organisationId) : undefined;
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
  organisationId: string,
  page: StoredPage<T> & { readonly total?: number },
  write: (record: T) => R,
) {
  const last = page.records.at(-1);
  const cursor = page.more && last !== undefined ? cursors.seal(last.id, scope, organisationId) : null;
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
