import type { AnswerFrom, ConsoleRoute, RequestTo } from "../console-routes.ts";

/** Asks the console, as `call` does. */
export type Ask = <R extends ConsoleRoute>(route: R, body: RequestTo<R>) => Promise<AnswerFrom<R>>;

/** One thing that was found. */
export interface Finding {
  /** Such as `Purchase`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string | undefined;
  /** The page that shows it; undefined if none does. */
  readonly path: string | undefined;
}
