import type { Static, TSchema } from "typebox";
import type { ROUTES, RouteName } from "#contract";

type AnswersOf<R extends RouteName> = (typeof ROUTES)[R]["answers"];
type BodyOf<S> = S extends TSchema ? Static<S> : never;

/** The body of any success answer of a route. */
export type Answer<R extends RouteName> = BodyOf<AnswersOf<R>[keyof AnswersOf<R>]>;
