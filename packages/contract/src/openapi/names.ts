import { LIMITS } from "../limits.ts";

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

/** The meanings of fields that both APIs have. */
export const COMMON_FIELD_DESCRIPTIONS = {
  amount: "In minor units of the currency.",
  authed_at: "When the card was authorized.",
  cleared_at: "When it settled.",
  cursor: "Opaque. From the previous page; null for the first page, and after the last.",
  limit: `Records of a page at most; ${LIMITS.pageLimitDefault} without it. A page ends sooner at 4 MiB.`,
  more: "Whether further pages exist.",
  page_size: "Records of this page.",
  qualifying_threshold: "Stamps that make a full card.",
  reverted_at: "When it was refunded or cancelled.",
  skip: "Records to leave out before the page.",
};
