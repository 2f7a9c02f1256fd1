import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createPage, type Page } from "#http";

/** Of the static files in metrics. */
export const PAGE_LABEL = "page";

/** As strict as it gets: everything from here, nothing inline, no frame around it, no form that leaves. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** On every answer of the console. */
export const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const JAVASCRIPT = "text/javascript; charset=utf-8";
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".js": JAVASCRIPT,
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Libraries of the page: the name in its imports, and the file of the package that is served. */
const LIBRARIES: Readonly<Record<string, string>> = {
  preact: "preact/dist/preact.mjs",
  "preact/hooks": "preact/hooks/dist/hooks.mjs",
  "preact/jsx-runtime": "preact/jsx-runtime/dist/jsxRuntime.mjs",
  uplot: "uplot/dist/uPlot.iife.min.js",
};
/** The package has its module with all comments only; what is short is a script that leaves a variable. */
const EXPORTS: Readonly<Record<string, string>> = { uplot: "\nexport default uPlot;\n" };
const LIBRARY_STYLES: Readonly<Record<string, string>> = { "uplot.css": "uplot/dist/uPlot.min.css" };

/** This leads from dist/services/console/src to what was compiled, and back to the sources, where the styles are. */
const COMPILED = fileURLToPath(new URL("../page/", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../../services/console/page/", import.meta.url));

interface StaticFile {
  /** Below `page/`, with slashes. */
  readonly name: string;
  readonly body: string;
}

/** What GET gives. */
export interface StaticFiles {
  /** By path; nothing else is read from disk later. */
  readonly files: ReadonlyMap<string, Page>;
  /** The page itself, for every path that is a screen of it. */
  readonly index: Page;
}

/** Reads everything that the page is made of into memory, in both encodings. @param base such as `/` or `/console/` */
export async function loadStaticFiles(base: string): Promise<StaticFiles> {
  const scripts = await readScripts();
  const styles = await readAssets();
  const entries = [...scripts, ...styles].map(async ({ name, body }) => {
    const contentType = CONTENT_TYPES[posix.extname(name)] as string;
    const page = createPage({ label: PAGE_LABEL, contentType, body, headers: SECURITY_HEADERS });
    return [`${base}page/${name}`, await page] as const;
  });
  const index = createPage({
    label: PAGE_LABEL,
    contentType: "text/html; charset=utf-8",
    body: indexPage(base, scripts, styles),
    headers: SECURITY_HEADERS,
  });
  return { files: new Map(await Promise.all(entries)), index: await index };
}

async function readScripts(): Promise<StaticFile[]> {
  const own = filesUnder(COMPILED).filter(
    (name) => name.endsWith(".js") && !/(\.test|\/test-[^/]*)\.js$/.test(name),
  );
  const scripts = own.map(async (name) => ({ name, body: await readFile(join(COMPILED, name), "utf8") }));
  const { resolve } = createRequire(import.meta.url);
  const libraries = Object.entries(LIBRARIES).map(async ([library, file]) => ({
    name: libraryName(library),
    body: (await readFile(packageFile(resolve, file), "utf8")) + (EXPORTS[library] ?? ""),
  }));
  const all = await Promise.all([...scripts, ...libraries]);
  return all.map(({ name, body }) => ({ name, body: forBrowsers(name, body) }));
}

async function readAssets(): Promise<StaticFile[]> {
  const own = filesUnder(SOURCES).filter((name) => /\.(css|svg)$/.test(name));
  const { resolve } = createRequire(import.meta.url);
  const libraries = Object.entries(LIBRARY_STYLES).map(async ([name, file]) => ({
    name: `library/${name}`,
    body: await readFile(packageFile(resolve, file), "utf8"),
  }));
  const assets = own.map(async (name) => ({ name, body: await readFile(join(SOURCES, name), "utf8") }));
  return Promise.all([...libraries, ...assets]);
}

/** A package may say which of its files others may name; its manifest can always be found. */
function packageFile(resolve: NodeJS.RequireResolve, file: string): string {
  const [name = ""] = file.split("/");
  return join(resolve(`${name}/package.json`), "..", file.slice(name.length + 1));
}

/** `preact/hooks` → `library/preact-hooks.js`. */
function libraryName(library: string): string {
  return `library/${library.replaceAll("/", "-")}.js`;
}

const IMPORT = /((?:\bfrom|\bimport)\s*)"([a-z][a-z/-]*)"/g;
const SOURCE_MAP = /\n?\/\/# sourceMappingURL=.*\s*$/;

/**
 * Browsers know no packages: an import of one becomes the path of its file, relative, so that no base path stands in it. Source
 * maps are not served.
 * @throws Error for a package that is not in `LIBRARIES`, which would be a page that does not start
 */
export function forBrowsers(name: string, script: string): string {
  const up = "../".repeat(name.split("/").length - 1) || "./";
  return script.replace(SOURCE_MAP, "\n").replaceAll(IMPORT, (_, keyword: string, library: string) => {
    if (LIBRARIES[library] === undefined) throw new Error(`${name} imports ${library}, which is not served`);
    return `${keyword}"${up}${libraryName(library)}"`;
  });
}

/** All scripts are named, so that a browser asks for them at once and not one import after the other. */
function indexPage(base: string, scripts: readonly StaticFile[], assets: readonly StaticFile[]): string {
  const order = ({ name }: StaticFile) =>
    name.startsWith("library/") ? 0 : name.startsWith("frame/") ? 1 : 2;
  const styles = assets
    .filter(({ name }) => name.endsWith(".css"))
    .sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name));
  const preloads = scripts.map(({ name }) => `<link rel="modulepreload" href="${base}page/${name}">`);
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Stampede</title>
<link rel="icon" type="image/svg+xml" href="${base}page/frame/mark.svg">
${styles.map(({ name }) => `<link rel="stylesheet" href="${base}page/${name}">`).join("\n")}
${preloads.join("\n")}
<script type="module" src="${base}page/main.js"></script>
</head>
<body><div id="page"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}
