import { useCallback, useEffect, useRef, useState } from "preact/hooks";
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

interface PagedQuestion<R extends ConsoleRoute, Row> {
  readonly route: R;
  /** The request for the page after `cursor`; undefined: for the first page. */
  readonly bodyOf: (cursor: string | undefined) => RequestTo<R>;
  readonly rowsOf: (answer: AnswerFrom<R>) => readonly Row[];
  /** Of the next page; null or undefined when there is none. */
  readonly cursorOf: (answer: AnswerFrom<R>) => string | null | undefined;
  /** Another key asks from the first page. */
  readonly key: string;
}

/** The answer of a list route of either API. */
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
  /** Rows of a page. */
  readonly limit: number;
  /** Another number asks for the list again, because something was changed. */
  readonly turn?: number;
}

/**
 * Asks one of the two APIs for a list, page by page.
 * @param wanted the request without the page; another one asks from the first page
 */
export function useList<R extends ListRoute>(
  route: R,
  wanted: Omit<RequestTo<R>, "pagination">,
  { limit, turn = 0 }: ListOptions,
): CallState<Pages<RowOf<R>>> {
  return usePages<R, RowOf<R>>({
    route,
    key: `${JSON.stringify(wanted)} ${turn}`,
    // It is the request of each list route, but TypeScript cannot see that of R, which may be any of them.
    bodyOf: (cursor) => ({ ...wanted, pagination: { limit, cursor: cursor ?? null } }) as RequestTo<R>,
    rowsOf: ({ data }) => data,
    cursorOf: ({ page }) => page.cursor,
  });
}

/** Asks for pages one by one. */
export function usePages<R extends ConsoleRoute, Row>(
  question: PagedQuestion<R, Row>,
): CallState<Pages<Row>> {
  const [state, setState] = useState<CallState<Pages<Row>>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((last) => last + 1), []);
  const latest = useRef(question);
  latest.current = question;
  // The list names not all that is used: `key` stands for the question, `turn` asks again.
  useEffect(() => {
    const gone = new AbortController();
    const load = async (before: readonly Row[], cursor: string | undefined) => {
      const next = await nextPage(latest.current, before, cursor, gone.signal);
      if (next === undefined) return;
      if ("fatal" in next) setState(failed(next.fatal, again));
      else show(next);
    };
    const show = ({ rows, cursor, failure }: Shown<Row>) => {
      const ready = (isLoadingMore: boolean) => {
        const answer = { rows, more: cursor === undefined ? undefined : more, isLoadingMore, failure };
        setState({ state: "ready", answer, again });
      };
      const more = () => {
        ready(true);
        void load(rows, cursor);
      };
      ready(false);
    };
    setState({ state: "loading" });
    void load([], undefined);
    return () => gone.abort();
  }, [question.key, turn]);
  return state;
}

/** The rows to show, and the cursor of the next page. */
interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | undefined;
  readonly failure: CallError | undefined;
}

/** @returns undefined if the component has gone; `fatal` if the first page could not be loaded */
async function nextPage<R extends ConsoleRoute, Row>(
  { route, bodyOf, rowsOf, cursorOf }: PagedQuestion<R, Row>,
  before: readonly Row[],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Shown<Row> | { readonly fatal: unknown } | undefined> {
  try {
    const answer = await call(route, bodyOf(cursor), { signal });
    return {
      rows: [...before, ...rowsOf(answer)],
      cursor: cursorOf(answer) ?? undefined,
      failure: undefined,
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    return before.length > 0 ? { rows: before, cursor, failure: asCallError(error) } : { fatal: error };
  }
}
