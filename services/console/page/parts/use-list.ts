import { useCallback, useEffect, useState } from "preact/hooks";
import { asCallError, type CallError, type CallState, call, failed } from "../api.ts";
import type { AnswerFrom, ConsoleRoute, RequestTo } from "../console-routes.ts";

/** The rows of all pages so far. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** Present if there are more. */
  readonly more: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  /** Why the next page could not be loaded; `more` tries again. */
  readonly failure: CallError | undefined;
}

/** The answer of a list route, of either API or of the console. */
interface ListAnswer {
  readonly data: readonly unknown[];
  readonly page: { readonly cursor: string | null };
}
type ListRoute = {
  [R in ConsoleRoute]: AnswerFrom<R> extends ListAnswer
    ? "pagination" extends keyof RequestTo<R>
      ? R
      : never
    : never;
}[ConsoleRoute];
type RowOf<R extends ListRoute> = AnswerFrom<R>["data"][number];

interface ListOptions {
  /** Rows of a page; undefined: as many as the route gives by itself. */
  readonly limit?: number;
  /** Another number asks for the list again, because something was changed. */
  readonly turn?: number;
}

/**
 * Asks for a list, page by page.
 * @param wanted the request without the page; another one asks from the first page
 */
export function useList<R extends ListRoute>(
  route: R,
  wanted: Omit<RequestTo<R>, "pagination">,
  { limit, turn = 0 }: ListOptions = {},
): CallState<Pages<RowOf<R>>> {
  const [state, setState] = useState<CallState<Pages<RowOf<R>>>>({ state: "loading" });
  const [tries, setTries] = useState(0);
  const again = useCallback(() => setTries((last) => last + 1), []);
  // The list below names not all that is used: `question` stands for the request, `tries` asks again.
  const question = JSON.stringify([route, wanted, limit, turn]);
  useEffect(() => {
    const gone = new AbortController();
    const load = async (before: ReadonlyArray<RowOf<R>>, cursor: string | null) => {
      // It is the request of each list route, but TypeScript cannot see that of R, which may be any of them.
      const request = { ...wanted, pagination: { limit, cursor } } as RequestTo<R>;
      try {
        const { data, page } = await call(route, request, { signal: gone.signal });
        show([...before, ...data], page.cursor, undefined);
      } catch (error) {
        if (gone.signal.aborted) return;
        if (before.length > 0) show(before, cursor, asCallError(error));
        else setState(failed(error, again));
      }
    };
    const show = (rows: ReadonlyArray<RowOf<R>>, cursor: string | null, failure: CallError | undefined) => {
      const ready = (isLoadingMore: boolean) => {
        const answer = { rows, more: cursor === null ? undefined : more, isLoadingMore, failure };
        setState({ state: "ready", answer, again });
      };
      const more = () => {
        ready(true);
        void load(rows, cursor);
      };
      ready(false);
    };
    setState({ state: "loading" });
    void load([], null);
    return () => gone.abort();
  }, [question, tries]);
  return state;
}
