import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createPage, type Page } from "#http";

/** The route of static files in metrics. */
export const PAGE_LABEL = "page";

/** Everything from this origin, nothing inline, no frame around the page, no form to other sites. */
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

/** On every file: other sites cannot load it, and browsers do not guess its type. */
const FILE_HEADERS = {
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/**
 * On every answer that a browser may open as a document. The page's headers hold for scripts and styles; on a
 * hundred of them these headers would be a sixth of a visit's bytes.
 */
export const SECURITY_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  ...FILE_HEADERS,
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  // Modules are UTF-8 even without a charset.
  ".js": "text/javascript",
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
/** The package has its module only with all comments; its short form is a script that sets a variable. */
const EXPORTS: Readonly<Record<string, string>> = { uplot: "\nexport default uPlot;\n" };
const LIBRARY_STYLES = ["uplot/dist/uPlot.min.css"];

/** From dist/services/console/src to the compiled page, and back to the sources, which have the styles. */
const COMPILED = fileURLToPath(new URL("../page/", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../../../services/console/page/", import.meta.url));

/** The page begins here: only files that its imports lead to are served. */
const MAIN = "main.js";
const STYLE = "style.css";
const ICON = "frame/mark.svg";

interface StaticFile {
  /** Below `page/`, with slashes. */
  readonly name: string;
  readonly body: string;
}

/** The answers to GET. */
export interface StaticFiles {
  /** By path; nothing else is read from disk later. */
  readonly files: ReadonlyMap<string, Page>;
  /** The page itself, for every path that is a screen of it. */
  readonly index: Page;
}

/**
 * Reads all files of the page into memory. Their folder is named by the hash of their content, so browsers
 * keep them for ever, and a page never has files of two versions: during an upgrade it may lack some, and is loaded again.
 * @param base such as `/` or `/console/`
 */
export async function loadStaticFiles(base: string): Promise<StaticFiles> {
  const scripts = importedFrom(MAIN, await readScripts());
  const assets = [{ name: STYLE, body: await readStyle() }, await readOwn(SOURCES, ICON)];
  const all = [...scripts, ...assets];
  const folder = `${base}page/${versionOf(all)}/`;
  const entries = all.map(({ name, body }) => {
    const contentType = CONTENT_TYPES[posix.extname(name)] as string;
    // An SVG can be opened as a document, and could hold scripts.
    const headers = name === ICON ? SECURITY_HEADERS : FILE_HEADERS;
    const page = createPage({ label: PAGE_LABEL, contentType, body, headers, isImmutable: true });
    return [folder + name, page] as const;
  });
  const index = createPage({
    label: PAGE_LABEL,
    contentType: "text/html; charset=utf-8",
    body: indexPage(base, folder, scripts),
    headers: SECURITY_HEADERS,
  });
  return { files: new Map(entries), index };
}

function versionOf(files: readonly StaticFile[]): string {
  const hash = createHash("sha256");
  for (const { name, body } of files) hash.update(`${name}\n${body.length}\n${body}\n`);
  return hash.digest("hex").slice(0, 16);
}

async function readScripts(): Promise<StaticFile[]> {
  const own = filesUnder(COMPILED).filter(
    (name) => name.endsWith(".js") && !/(\.test|\/test-[^/]*)\.js$/.test(name),
  );
  const scripts = own.map((name) => readOwn(COMPILED, name));
  const libraries = Object.entries(LIBRARIES).map(async ([library, file]) => ({
    name: libraryName(library),
    body: (await readLibrary(file)) + (EXPORTS[library] ?? ""),
  }));
  const all = await Promise.all([...scripts, ...libraries]);
  return all.map(({ name, body }) => ({ name, body: forBrowsers(name, body) }));
}

/** All styles in one file, because the first paint needs all of them. */
async function readStyle(): Promise<string> {
  // Of two rules with the same specificity the later one holds: a page's may override the frame's.
  const order = (name: string) => (name.startsWith("frame/") ? 0 : 1);
  const names = filesUnder(SOURCES)
    .filter((name) => name.endsWith(".css"))
    .sort((a, b) => order(a) - order(b) || a.localeCompare(b));
  const own = names.map(async (name) => (await readOwn(SOURCES, name)).body);
  return (await Promise.all([...LIBRARY_STYLES.map(readLibrary), ...own])).join("\n");
}

async function readOwn(directory: string, name: string): Promise<StaticFile> {
  return { name, body: await readFile(join(directory, name), "utf8") };
}

/** By the manifest, because a package may export only some of its files. @param file such as `preact/dist/preact.mjs` */
async function readLibrary(file: string): Promise<string> {
  const [name = ""] = file.split("/");
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return readFile(join(manifest, "..", file.slice(name.length + 1)), "utf8");
}

/** `preact/hooks` → `library/preact-hooks.js`. */
function libraryName(library: string): string {
  return `library/${library.replaceAll("/", "-")}.js`;
}

const IMPORT = /((?:\bfrom|\bimport)\s*)"([a-z][a-z/-]*)"/g;
const SOURCE_MAP = /\n?\/\/# sourceMappingURL=[^\n]*\n*$/;

/**
 * Browsers know no packages: an import of one becomes the relative path of its file, which holds no base path. Source maps are
 * not served.
 * @throws Error for a package that is not in `LIBRARIES`: the page would not start
 */
export function forBrowsers(name: string, script: string): string {
  const up = "../".repeat(name.split("/").length - 1) || "./";
  return script.replace(SOURCE_MAP, "\n").replaceAll(IMPORT, (_, keyword: string, library: string) => {
    if (LIBRARIES[library] === undefined) throw new Error(`${name} imports ${library}, which is not served`);
    return `${keyword}"${up}${libraryName(library)}"`;
  });
}

const RELATIVE_IMPORT = /\b(?:from|import)\s*"(\.{1,2}\/[\w./-]+)"/g;

/**
 * The files that `first` imports, and those that they import, the nearest first; files with types only are left out.
 * @throws Error for an import that leads nowhere: the page would not start
 */
export function importedFrom(first: string, scripts: readonly StaticFile[]): StaticFile[] {
  const byName = new Map(scripts.map((script) => [script.name, script]));
  const names = new Set([first]);
  // The loop also visits names that are added meanwhile.
  for (const name of names) {
    const { body } = byName.get(name) as StaticFile;
    for (const [, specifier = ""] of body.matchAll(RELATIVE_IMPORT)) {
      const imported = posix.join(posix.dirname(name), specifier);
      if (!byName.has(imported)) throw new Error(`${name} imports ${imported}, which is not there`);
      names.add(imported);
    }
  }
  return [...names].map((name) => byName.get(name) as StaticFile);
}

/** All scripts are named, so that a browser asks for them at once and not one import after the other. */
function indexPage(base: string, folder: string, scripts: readonly StaticFile[]): string {
  const preloads = scripts.map(({ name }) => `<link rel="modulepreload" href="${folder}${name}">`);
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Stampede</title>
<link rel="icon" type="image/svg+xml" href="${folder}${ICON}">
<link rel="stylesheet" href="${folder}${STYLE}">
${preloads.join("\n")}
<script type="module" src="${folder}${MAIN}"></script>
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
