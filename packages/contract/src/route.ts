import type { TSchema } from "typebox";

export type AccessLevel = "read" | "write";

/** The table's entry for one route. */
export interface RouteDefinition<Access extends string = AccessLevel> {
  readonly access: Access;
  readonly summary: string;
  readonly request: TSchema;
  /** Success answers by status. A route with a 202 honours `prefer`: `respond-async` and `return=representation`. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** The values of `data.resource` in its 404. */
  readonly notFound?: readonly string[];
  /** The values of `data.reason` in its 409, in addition to the conflicts of idempotency keys. */
  readonly conflicts?: readonly string[];
  /** Further fields of `data` in a 400, 404 or 409, by status. */
  readonly refusalData?: Readonly<Partial<Record<400 | 404 | 409, TSchema>>>;
  /** The route honours the header `idempotency-key`; a stored answer with a secret is sealed. */
  readonly repeatable?: { readonly secretInAnswer: boolean };
}

type Further = Omit<RouteDefinition, "access" | "summary" | "request" | "answers">;

/** Makes routes of one level of access that answer 200. */
export const routesOf =
  <Access extends string>(access: Access) =>
  <Request extends TSchema, Answer extends TSchema, const More extends Further = Record<never, never>>(
    summary: string,
    request: Request,
    answer: Answer,
    more?: More,
  ) => ({ access, summary, request, answers: { 200: answer }, ...(more as NoInfer<More>) });

export const read = routesOf("read");
export const write = routesOf("write");
