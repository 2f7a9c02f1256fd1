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

/** Asks for a list, page by page. */
export function usePages<R extends ConsoleRoute, Row>(question: PagedQuestion<R, Row>): CallState<Pages<Row>> {
  const [state, setState] = useState<CallState<Pages<Row>>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((last) => last + 1), []);
  const latest = useRef(question);
  latest.current = question;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the question, `turn` asks again
  useEffect(() => {
    const gone = new AbortController();
    const load = async (before: readonly Row[], cursor: string | undefined) => {
      const { route, bodyOf, rowsOf, cursorOf } = latest.current;
      try {
        const answer = await call(route, bodyOf(cursor), { signal: gone.signal });
        const rows = [...before, ...rowsOf(answer)];
        show(rows, cursorOf(answer) ?? undefined);
      } catch (error) {
        if (gone.signal.aborted) return;
        const failure = error instanceof CallError ? error : undefined;
        if (failure === undefined) throw error;
        if (before.length > 0) show(before, cursor, failure);
        else if (failure.code === "authorization_error") setState({ state: "forbidden", error: failure });
        else setState({ state: "failed", error: failure, again });
      }
    };
    const show = (rows: readonly Row[], cursor: string | undefined, failure?: CallError) => {
      const more = () => {
        setState({ state: "ready", answer: { rows, more, isLoadingMore: true, failure: undefined }, again });
        void load(rows, cursor);
      };
      const answer = { rows, more: cursor === undefined ? undefined : more, isLoadingMore: false, failure };
      setState({ state: "ready", answer, again });
    };
    setState({ state: "loading" });
    void load([], undefined);
    return () => gone.abort();
  }, [question.key, turn]);
  return state;
}
