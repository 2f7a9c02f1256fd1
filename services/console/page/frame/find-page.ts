import type { Session } from "../console-routes.ts";
import { PAGES } from "../pages.ts";
import type { PageDefinition, Parameters } from "./page-definition.ts";
import { mayActAs } from "./roles.ts";
import { matchPath } from "./router.tsx";

/** The pages that somebody may see. */
export function pagesFor({ role, platform, by_link }: Session): readonly PageDefinition[] {
  return PAGES.filter(
    (page) =>
      mayActAs(role, page.role) &&
      (platform || page.needsPlatform !== true) &&
      (by_link || page.needsLinks !== true),
  );
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
