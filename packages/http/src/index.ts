export * from "./api.ts";
export { type CreateHttpServerOptions, createHttpServer } from "./create-server.ts";
export { errorResponse, jsonResponse, type Refusal } from "./envelope.ts";
export { HttpServerError } from "./http-server-error.ts";
export type { Page } from "./page.ts";
export { REFERENCE_LABELS, referencePages } from "./reference/reference-pages.ts";
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
export { hasUws } from "./uws-module.ts";
