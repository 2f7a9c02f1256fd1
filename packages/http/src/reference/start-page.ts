/**
 * The page around Swagger UI. Everything it loads is named relative to it, so that it also works behind a proxy that
 * puts a path in front.
 */
export function startPage(title: string): string {
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
 * Shows the document. The token that is entered stays in the page's memory and is gone with it. `validatorUrl` off: by
 * default the document's address is told to a service on the internet, for a badge.
 */
export const START_SCRIPT = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
