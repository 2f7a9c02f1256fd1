export * from "./api.ts";
export { createHttpServer, httpOrigin } from "./create-server.ts";
export { jsonResponse } from "./envelope.ts";
export { CursorKey, readPage, writePage } from "./list-page.ts";
export { REFERENCE_LABELS, referencePages } from "./reference/reference-pages.ts";
export { createRequestMetrics, describeRequest } from "./request-metrics.ts";
export type { HttpRequest, HttpResponse } from "./server.ts";
export { hasUws, uwsInstallCommand } from "./uws-module.ts";
