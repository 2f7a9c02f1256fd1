import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { currentPath, goTo, hrefOf } from "./address.ts";
import type { Parameters } from "./page-definition.ts";

export { pathOf } from "./path-of.ts";

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
  /** Below the base: `/member/m_1`. Ids and names in it must be encoded (`pathOf`). */
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another page of the console. It is a real one, which can be opened in a new tab. */
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
