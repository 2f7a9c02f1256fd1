import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { CallError, type CallState, call } from "../api.ts";
import type { AnswerFrom, ConsoleRoute, RequestTo } from "../console-routes.ts";

/** The rows of all pages that were asked for so far. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** Present if there are more. */
  readonly more: (() => void) | undefined;
  readonly isLoadingMore: boolean;
  /** Why the page after the last one could not be had; asking for more tries again. */
  readonly failure: CallError | undefined;
}

interface PagedQuestion<R extends ConsoleRoute, Row> {
  readonly route: R;
  /** The request for the page behind `cursor`; undefined is the first one. */
  readonly bodyOf: (cursor: string | undefined) => RequestTo<R>;
  readonly rowsOf: (answer: AnswerFrom<R>) => readonly Row[];
  /** Of the next page; null or undefined when there is none. */
  readonly cursorOf: (answer: AnswerFrom<R>) => string | null | undefined;
  /** Another one begins from the first page. */
  readonly key: string;
}

/** What the routes of both APIs answer that give a list. */
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
  /** Another one: something was changed, so the list is asked for again. */
  readonly turn?: number;
}

/**
 * Asks one of the two APIs for a list, page by page.
 * @param wanted what the request holds beside the page; another one begins from the first page
 */
export function useList<R extends ListRoute>(
  route: R,
  wanted: Omit<RequestTo<R>, "pagination">,
  { limit, turn = 0 }: ListOptions,
): CallState<Pages<RowOf<R>>> {
  return usePages<R, RowOf<R>>({
    route,
    key: `${JSON.stringify(wanted)} ${turn}`,
    // Of each route this is known to be its request, but not of R, which may be any of them.
    bodyOf: (cursor) => ({ ...wanted, pagination: { limit, cursor: cursor ?? null } }) as RequestTo<R>,
    rowsOf: ({ data }) => data,
    cursorOf: ({ page }) => page.cursor,
  });
}

/** Asks for anything that comes page by page. */
export function usePages<R extends ConsoleRoute, Row>(
  question: PagedQuestion<R, Row>,
): CallState<Pages<Row>> {
  const [state, setState] = useState<CallState<Pages<Row>>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((last) => last + 1), []);
  const latest = useRef(question);
  latest.current = question;
  // Not all that is used is listed: `key` stands for the question, `turn` asks again.
  useEffect(() => {
    const gone = new AbortController();
    const load = async (before: readonly Row[], cursor: string | undefined) => {
      const next = await nextPage(latest.current, before, cursor, gone.signal);
      if (next === undefined) return;
      if ("fatal" in next) setState(stateOf(next.fatal, again));
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

/** What there is to show, and where it goes on. */
interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | undefined;
  readonly failure: CallError | undefined;
}

/** @returns undefined if nobody looks any more; `fatal` if not even the first page could be had */
async function nextPage<R extends ConsoleRoute, Row>(
  { route, bodyOf, rowsOf, cursorOf }: PagedQuestion<R, Row>,
  before: readonly Row[],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Shown<Row> | { readonly fatal: CallError } | undefined> {
  try {
    const answer = await call(route, bodyOf(cursor), { signal });
    return {
      rows: [...before, ...rowsOf(answer)],
      cursor: cursorOf(answer) ?? undefined,
      failure: undefined,
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof CallError)) throw error;
    return before.length > 0 ? { rows: before, cursor, failure: error } : { fatal: error };
  }
}

function stateOf(error: CallError, again: () => void): CallState<never> {
  if (error.code === "authorization_error") return { state: "forbidden", error };
  return { state: "failed", error, again };
}
