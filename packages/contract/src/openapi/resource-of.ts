/** The part of a route before the slash: `wallet.clip` of `wallet.clip/save`. */
export type ResourceOf<Route extends string> = Route extends `${infer Resource}/${string}` ? Resource : never;

export function resourceOf(route: string): string {
  return route.slice(0, route.indexOf("/"));
}
