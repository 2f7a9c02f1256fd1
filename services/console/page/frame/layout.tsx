import { useLayoutEffect, useRef } from "preact/hooks";
import { call } from "../api.ts";
import type { Session } from "../console-routes.ts";
import { PAGES } from "../pages.ts";
import { Screen } from "../parts/screen.tsx";
import { chooseOrganisation, useChosenOrganisation } from "./organisation.ts";
import type { PageDefinition, Parameters } from "./page-definition.ts";
import { mayActAs, useSession } from "./roles.ts";
import { Link, matchPath, usePath } from "./router.tsx";

/** A bar with the pages and the user, and below it the page that the address names. */
export function Layout() {
  const session = useSession();
  const path = usePath();
  const organisation = useChosenOrganisation();
  const pages = pagesFor(session);
  const found = findPage(pages, path);
  const content = useRef<HTMLElement>(null);
  // The new page gets the focus, so that keyboards and screen readers go on there; the first page is read anyway.
  // In a layout effect, because a key that is pressed at once is meant for the new page.
  const shown = useRef(path);
  useLayoutEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    content.current?.focus();
    scrollTo(0, 0);
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        To the content
      </a>
      <header class="bar">
        <Link to="/" class="brand">
          <Mark />
          <span>Stampede</span>
        </Link>
        <nav aria-label="Pages">
          {pages
            .filter(({ navigation }) => navigation !== undefined)
            .map((page) => (
              <Link key={page.path} to={page.path} current={found?.page.component === page.component}>
                {page.navigation}
              </Link>
            ))}
        </nav>
        <Who />
      </header>
      <main id="content" class="content" tabIndex={-1} ref={content}>
        {found === undefined ? (
          <Screen title="There is no such page">
            <p>
              Nothing is at <code>{path}</code>, or it is not for your role.
            </p>
          </Screen>
        ) : (
          <found.page.component key={`${organisation} ${path}`} parameters={found.parameters} />
        )}
      </main>
    </div>
  );
}

/** The organisation that is shown, and the user. */
function Who() {
  const { user, role, organisations, by_link } = useSession();
  const chosen = useChosenOrganisation();
  const leave = async () => {
    await call("session/close", {}).catch(() => {});
    location.reload();
  };
  return (
    <div class="who">
      {organisations.length > 1 ? (
        <label>
          <span class="quiet">Organisation</span>
          <select value={chosen} onChange={(event) => chooseOrganisation(event.currentTarget.value)}>
            {organisations.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span class="organisation">{organisations[0]?.name ?? "No organisation"}</span>
      )}
      <span class="quiet person">
        {user}, {role}
      </span>
      {by_link && (
        <button type="button" class="plain" onClick={leave}>
          Sign out
        </button>
      )}
    </div>
  );
}

/** The pages that this session may see. */
function pagesFor({ role, platform, by_link }: Session): readonly PageDefinition[] {
  return PAGES.filter(
    (page) =>
      mayActAs(role, page.role) &&
      (platform || page.needsPlatform !== true) &&
      (by_link || page.needsLinks !== true),
  );
}

/** The sign of Stampede: three strokes that lean forward. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M3 20 9 4M9.5 20l6-16M16 20l6-16" />
    </svg>
  );
}

interface Found {
  readonly page: PageDefinition;
  readonly parameters: Parameters;
}

/** The page of a path; undefined if there is none among these. */
function findPage(pages: readonly PageDefinition[], path: string): Found | undefined {
  if (path === "/") return pages[0] && { page: pages[0], parameters: {} };
  for (const page of pages) {
    const parameters = matchPath(page.path, path);
    if (parameters !== undefined) return { page, parameters };
  }
  return undefined;
}
