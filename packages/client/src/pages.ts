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
 */
export async function* walkPages(
  request: object,
  field: CursorField,
  ask: (request: object) => Promise<unknown>,
): AsyncGenerator<unknown> {
  let next = request;
  for (;;) {
    const { data, page } = (await ask(next)) as PageAnswer;
    yield* data;
    // A list that is read on and on always has a cursor, so only `more` tells that this is all there is now.
    if (page.cursor === null || (field === "after" && !page.more)) return;
    next = withCursor(request, field, page.cursor);
  }
}

function withCursor(request: object, field: CursorField, cursor: string): object {
  if (field === "after") return { ...request, after: cursor };
  // `skip` was for the first page: with each further one it would leave out records of the middle.
  const { skip: _, ...pagination } = (request as ListRequest).pagination ?? {};
  return { ...request, pagination: { ...pagination, cursor } };
}
