import { StampedeError } from "./stampede-error.ts";

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
 * @throws StampedeError `unexpected_answer` for an answer that is no page, or whose cursor leads back to itself: the walk
 *   would never end
 */
export async function* walkPages(
  request: object,
  field: CursorField,
  ask: (request: object) => Promise<unknown>,
): AsyncGenerator<unknown> {
  let next = request;
  let asked: string | undefined;
  for (;;) {
    const answer = await ask(next);
    if (!isPage(answer)) throw strange("a list's answer has no data and page");
    const { data, page } = answer;
    yield* data;
    // A list that is read on and on always has a cursor, so only `more` tells that this is all there is now.
    if (page.cursor === null || (field === "after" && !page.more)) return;
    if (page.cursor === asked) throw strange("the cursor of a page leads to the same page");
    asked = page.cursor;
    next = withCursor(request, field, page.cursor);
  }
}

function isPage(answer: unknown): answer is PageAnswer {
  const { data, page } = (answer ?? {}) as Partial<PageAnswer>;
  const cursor: unknown = page?.cursor;
  return Array.isArray(data) && (cursor === null || typeof cursor === "string");
}

function strange(message: string): StampedeError {
  return new StampedeError({ code: "unexpected_answer", status: 200, message });
}

function withCursor(request: object, field: CursorField, cursor: string): object {
  if (field === "after") return { ...request, after: cursor };
  // `skip` was for the first page: with each further one it would leave out records of the middle.
  const { skip: _, ...pagination } = (request as ListRequest).pagination ?? {};
  return { ...request, pagination: { ...pagination, cursor } };
}
