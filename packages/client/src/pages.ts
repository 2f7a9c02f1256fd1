import { unexpectedAnswer } from "./stampede-error.ts";

/** The field of a list's request that takes the cursor of the wanted page. */
export type CursorField = "pagination" | "after";

interface PageAnswer {
  readonly data: readonly unknown[];
  readonly page: { readonly cursor: string | null; readonly more: boolean };
}

/** The part of a list's request that the walk reads. */
interface ListRequest {
  readonly pagination?: { readonly cursor?: string | null; readonly skip?: number };
  readonly after?: string;
}

/**
 * All records of a list, page by page, from where the request begins. Asks for the next page when the
 * consumer has used up the one before it.
 * @throws StampedeError `unexpected_answer` for an answer that is no page, or for cursors that go in a
 *   circle: the walk would never end
 */
export async function* walkPages(
  request: object,
  field: CursorField,
  ask: (request: object) => Promise<unknown>,
): AsyncGenerator<unknown> {
  let next = request;
  // Brent's algorithm replaces the kept cursor after 1, 2, 4, … pages, so a circle of any length comes back
  // to it.
  let kept: string | undefined;
  let pages = 0;
  for (;;) {
    const answer = await ask(next);
    if (!isPage(answer)) throw unexpectedAnswer("a list's answer has no data and page");
    const { data, page } = answer;
    yield* data;
    // A list that is read with `after` always has a cursor, so only `more` tells that no record is left for
    // now.
    if (page.cursor === null || (field === "after" && !page.more)) return;
    if (page.cursor === kept) throw unexpectedAnswer("the cursors of the pages go in a circle");
    pages += 1;
    if ((pages & (pages - 1)) === 0) kept = page.cursor;
    next = withCursor(request, field, page.cursor);
  }
}

function isPage(answer: unknown): answer is PageAnswer {
  const { data, page } = (answer ?? {}) as Partial<PageAnswer>;
  const cursor: unknown = page?.cursor;
  return Array.isArray(data) && (cursor === null || typeof cursor === "string");
}

function withCursor(request: object, field: CursorField, cursor: string): object {
  if (field === "after") return { ...request, after: cursor };
  // `skip` belongs to the first page: in each further request it would leave out records in the middle.
  const { skip: _, ...pagination } = (request as ListRequest).pagination ?? {};
  return { ...request, pagination: { ...pagination, cursor } };
}
