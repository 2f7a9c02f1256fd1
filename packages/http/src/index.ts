export * from "./api.ts";
export { type CreateHttpServerOptions, createHttpServer } from "./create-server.ts";
export { CursorKey } from "./cursor-key.ts";
export { describeRequest } from "./describe-request.ts";
export { errorResponse, jsonResponse, type Refusal } from "./envelope.ts";
export { found } from "./found.ts";
export { HttpServerError } from "./http-server-error.ts";
export { keyConflict, readIdempotencyKey } from "./idempotency-key.ts";
export { answerList } from "./list-page.ts";
export { httpOrigin } from "./origin.ts";
export type { Page } from "./page.ts";
export { REFERENCE_LABELS, referencePages } from "./reference/reference-pages.ts";
export { createRequestMetrics, type RequestMetrics } from "./request-metrics.ts";
export type {
  AdapterName,
  Api,
  HttpLimits,
  HttpRequest,
  HttpResponse,
  HttpServer,
  HttpServerOptions,
  HttpServerStats,
} from "./server.ts";
export { newTraceId, traceIdOf } from "./trace.ts";
export { hasUws, uwsInstallCommand } from "./uws-module.ts";
