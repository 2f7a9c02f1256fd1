import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../console-routes.ts";
import { PAGES, type PageDefinition, type Parameters } from "../pages.ts";
import { currentPath, goTo, hrefOf } from "./address.ts";
import { mayActAs } from "./roles.ts";

/** The pages that somebody may see. */
export function pagesFor({ role, platform }: Session): readonly PageDefinition[] {
  return PAGES.filter((page) => mayActAs(role, page.role) && (platform || page.needsPlatform !== true));
}

interface Found {
  readonly page: PageDefinition;
  readonly parameters: Parameters;
}

/** The page of a path; undefined if there is none, or none that one may see. */
export function findPage(pages: readonly PageDefinition[], path: string): Found | undefined {
  if (path === "/") return pages[0] && { page: pages[0], parameters: {} };
  for (const page of pages) {
    const parameters = matchPath(page.path, path);
    if (parameters !== undefined) return { page, parameters };
  }
  return undefined;
}

/** `/member/:id` and `/member/m_1` → `{id: "m_1"}`; undefined if they do not match. */
export function matchPath(pattern: string, path: string): Parameters | undefined {
  const wanted = pattern.split("/");
  const given = path.replace(/\/$/, "").split("/");
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] as string;
    if (!part.startsWith(":")) {
      if (part !== value) return undefined;
      continue;
    }
    if (value === "") return undefined;
    parameters[part.slice(1)] = decodePart(value);
  }
  return parameters;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The path that the browser shows; renders again when it changes. */
export function usePath(): string {
  const [path, setPath] = useState(currentPath);
  useEffect(() => {
    const follow = () => setPath(currentPath());
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  return path;
}

interface LinkProps {
  /** Below the base: `/member/m_1`. Parts that come from outside are to be encoded (`pathOf`). */
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another page of the console: a real one, which opens in a new tab if one asks for that. */
export function Link({ to, class: name, current = false, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a href={hrefOf(to)} class={name} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

/** `pathOf("purchase", "a/b")` → `/purchase/a%2Fb`. */
export function pathOf(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
