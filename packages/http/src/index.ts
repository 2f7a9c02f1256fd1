export * from "./api.ts";
export { found, jsonResponse } from "./envelope.ts";
export { keyConflict, readIdempotencyKey } from "./idempotency-key.ts";
export { answerList, CursorKey } from "./list-page.ts";
export { badRequest } from "./read-body.ts";
export { REFERENCE_LABELS, referencePages } from "./reference/reference-pages.ts";
export { createHttpServer, serveApi } from "./serve-api.ts";
export type { HttpRequest, HttpResponse } from "./server.ts";
export { hasUws, uwsInstallCommand } from "./uws-module.ts";
