import type { TSchema } from "typebox";

/** A schema that has a name in the document, with its description. */
export interface NamedSchema {
  readonly schema: TSchema;
  readonly description: string;
}

export const named = (schema: TSchema, description: string): NamedSchema => ({ schema, description });

/** `member-base/list` → `MemberBaseList`; any character but letters and digits ends a word. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** The part of a route before the slash: `wallet.clip` of `wallet.clip/save`. */
export type ResourceOf<Route extends string> = Route extends `${infer Resource}/${string}` ? Resource : never;

export function resourceOf(route: string): string {
  return route.slice(0, route.indexOf("/"));
}
