/** The path that everything is under, with a slash at both ends. */
export const BASE = document.documentElement.dataset.base ?? "/";

/** `/member/m_1` → the path that a browser shows. */
export function hrefOf(path: string): string {
  return BASE + path.replace(/^\//, "");
}

/** The path below the base that the browser shows, such as `/live`. */
export function currentPath(): string {
  const { pathname } = location;
  return pathname.startsWith(BASE) ? `/${pathname.slice(BASE.length)}` : "/";
}

/** Goes to a path below the base, without loading the page again. */
export function goTo(path: string): void {
  history.pushState(null, "", hrefOf(path));
  dispatchEvent(new PopStateEvent("popstate"));
}
