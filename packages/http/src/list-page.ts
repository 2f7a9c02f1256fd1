import { LIMITS } from "#contract";
import { badRequest } from "./api.ts";
import type { CursorKey } from "./cursor-key.ts";
import { jsonResponse } from "./envelope.ts";
import type { HttpResponse } from "./server.ts";

interface Pagination {
  readonly limit?: number;
  readonly cursor?: string | null;
  readonly skip?: number;
}

/** Which part of a list ordered by id: up to `limit` records behind the id `after`, `skip` of them left out. */
interface ListRequest {
  readonly limit: number;
  /** UUID. */
  readonly after: string | undefined;
  readonly skip: number | undefined;
}

/** A part of a list as a store gives it. */
interface ListPage<T> {
  readonly records: readonly T[];
  /** Whether a record stands behind the last one. */
  readonly more: boolean;
  /** Records of the whole list, where that is told. */
  readonly total?: number;
}

/** A call for one list, and what its cursors are bound to. */
export interface ListCall {
  readonly cursors: CursorKey;
  /** The endpoint and its filters. */
  readonly scope: string;
  /** Whose list it is. */
  readonly owner: string;
  readonly pagination: Pagination | undefined;
}

/**
 * Answers a list request: `list` is asked for a part of the list, whose records `write` turns into the answer's.
 * @throws ApiError `bad_request` for a cursor that is not of this list, before anything is looked for
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
  const { records, more, total } = await list({ limit, after, skip });
  const last = records.at(-1);
  return jsonResponse(200, {
    data: records.map(write),
    page: {
      page_size: records.length,
      cursor: more && last !== undefined ? cursors.seal(last.id, scope, owner) : null,
      ...(total !== undefined && { total }),
      more,
    },
  });
}
