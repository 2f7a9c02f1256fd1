import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createPage, type Page, type PageSource } from "../page.ts";

/** Labels of the reference pages in metrics. */
export const REFERENCE_LABELS = ["openapi.json", "docs"] as const;
type ReferenceLabel = (typeof REFERENCE_LABELS)[number];

/**
 * As strict as possible without warnings of Swagger UI on the console. The one relaxation is `data:` for
 * images, for the arrows and locks of its style sheet. Nothing inline, nothing evaluated, nothing from
 * elsewhere, and no frame around it.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const JAVASCRIPT = "text/javascript; charset=utf-8";
/** The parts of Swagger UI that the page needs. Its source maps, 2 MB, are not served. */
const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": JAVASCRIPT,
  "favicon-32x32.png": "image/png",
} as const;

/** The OpenAPI document and the page that shows it, with the files that the page loads, by path. */
export async function referencePages(document: object, title: string): Promise<ReadonlyMap<string, Page>> {
  const docs = (contentType: string, body: PageSource["body"]) => page("docs", contentType, body);
  const assets = Object.entries(ASSETS).map(async ([file, contentType]) => {
    return [`/docs/${file}`, docs(contentType, await readAsset(file))] as const;
  });
  return new Map([
    ["/openapi.json", page("openapi.json", "application/json", JSON.stringify(document))],
    ["/docs", docs("text/html; charset=utf-8", startPage(title))],
    ["/docs/start.js", docs(JAVASCRIPT, START_SCRIPT)],
    ...(await Promise.all(assets)),
  ]);
}

function page(label: ReferenceLabel, contentType: string, body: PageSource["body"]): Page {
  return createPage({ label, contentType, body, headers: HEADERS });
}

async function readAsset(file: string): Promise<Uint8Array | string> {
  const bytes = await readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
  if (file.endsWith(".png")) return bytes;
  // The file names a source map, which developer tools would request in vain.
  return bytes.toString("utf8").replace(/\n?\/[/*]# sourceMappingURL=[^\n]*\n*$/, "");
}

/**
 * The page around Swagger UI. Everything that it loads has a relative address, so that it works behind a
 * proxy that adds a path.
 */
function startPage(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <div id="reference"></div>
  </body>
</html>
`;
}

/**
 * Shows the document. The token that a reader enters stays in the page's memory and is gone with the page.
 * `validatorUrl` is off: by default the document's address is sent to a service on the internet, for a badge.
 */
const START_SCRIPT = `fetch("openapi.json").then((answer) => answer.json()).then((spec) => {
  // The page calls the installation that served it, at the address of the page.
  spec.servers = [{ url: new URL(".", location.href).href.replace(/[/]$/, "") }];
  SwaggerUIBundle({
    url: "openapi.json",
    spec,
    dom_id: "#reference",
    deepLinking: true,
    docExpansion: "list",
    filter: true,
    tryItOutEnabled: true,
    persistAuthorization: false,
    validatorUrl: null,
  });
});
`;
