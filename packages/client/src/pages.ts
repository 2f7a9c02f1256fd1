import { unexpectedAnswer } from "./stampede-error.ts";

/** Where a list's request takes the cursor of the page that is wanted. */
export type CursorField = "pagination" | "after";

interface PageAnswer {
  readonly data: readonly unknown[];
  readonly page: { readonly cursor: string | null; readonly more: boolean };
}

/** What is read of a list's request. */
interface ListRequest {
  readonly pagination?: { readonly cursor?: string | null; readonly skip?: number };
  readonly after?: string;
}

/**
 * All records of a list, page by page; the next page is asked for when the one before it is used up. Begins where the
 * request says.
 * @throws StampedeError `unexpected_answer` for an answer that is no page, or for cursors that go in a circle: the walk would
 *   never end
 */
export async function* walkPages(
  request: object,
  field: CursorField,
  ask: (request: object) => Promise<unknown>,
): AsyncGenerator<unknown> {
  let next = request;
  // Brent's: the cursor kept is replaced after 1, 2, 4, … pages, so a circle of any length comes back to it.
  let kept: string | undefined;
  let pages = 0;
  for (;;) {
    const answer = await ask(next);
    if (!isPage(answer)) throw unexpectedAnswer("a list's answer has no data and page");
    const { data, page } = answer;
    yield* data;
    // A list that is read on and on always has a cursor, so only `more` tells that this is all there is now.
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
  // `skip` was for the first page: with each further one it would leave out records of the middle.
  const { skip: _, ...pagination } = (request as ListRequest).pagination ?? {};
  return { ...request, pagination: { ...pagination, cursor } };
}
