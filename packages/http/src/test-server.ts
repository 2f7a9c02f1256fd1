import t, { type Test } from "tap";
import type { ErrorCode, ErrorEnvelope } from "#contract";
import type { TrustedProxies } from "#domain";
import { waitFor } from "#test-support";
import { jsonResponse } from "./envelope.ts";
import { createHttpServer } from "./serve-api.ts";
import type { AdapterName, Admission, HttpLimits, HttpRequest, HttpResponse, HttpServer } from "./server.ts";
import { type RawResponse, TestConnection } from "./test-connection.ts";
import { hasUws } from "./uws-module.ts";

export interface Served {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
  /** `METHOD path` of every request that reached `handle`. */
  readonly handled: string[];
  readonly faults: Array<{ error: unknown; traceId: string }>;
  /** @param from the client's own address */
  connect(from?: string): Promise<TestConnection>;
}

type Handle = (request: HttpRequest, body: Uint8Array, respond: (response: HttpResponse) => void) => void;

/**
 * An API that answers some heads and handles all others. A body counts for the sender named in
 * `authorization`.
 */
export interface TestApi {
  readonly admit?: (request: HttpRequest) => HttpResponse | undefined | Promise<HttpResponse | undefined>;
  readonly handle?: Handle;
  /** For requests that change nothing. */
  readonly isRead?: boolean;
}

/** By default answers with a copy of the request. */
export function echo(request: HttpRequest, body: Uint8Array) {
  const { method, path, traceId } = request;
  const text = Buffer.from(body).toString();
  return jsonResponse(200, {
    method,
    path,
    traceId,
    wanted: request.header("x-wanted") ?? null,
    text,
  });
}

interface ServeOptions {
  readonly api?: TestApi;
  readonly limits?: Partial<HttpLimits>;
  readonly proxies?: TrustedProxies;
}

/** A server on a free port, closed at the end of the test. For tests. */
export async function serve(
  t: Test,
  adapter: AdapterName,
  { api = {}, limits = {}, proxies = [] }: ServeOptions = {},
): Promise<Served> {
  const handled: string[] = [];
  const faults: Served["faults"] = [];
  const handle: Handle = api.handle ?? ((request, body, respond) => respond(echo(request, body)));
  const server = createHttpServer({
    adapter,
    wantedHeaders: ["x-wanted", "authorization"],
    limits,
    proxies,
    onNotice: (sentence) => t.fail(sentence),
    onFault: (error, traceId) => faults.push({ error, traceId }),
    api: {
      admit: (request) => {
        const letIn = (refusal: HttpResponse | undefined): Admission =>
          refusal ?? {
            sender: request.header("authorization") ?? "unnamed",
            isRead: api.isRead === true,
            handle: (body, respond) => {
              handled.push(`${request.method} ${request.path}`);
              handle(request, body, respond);
            },
          };
        const refusal = api.admit?.(request);
        return refusal instanceof Promise ? refusal.then(letIn) : letIn(refusal);
      },
    },
  });
  const port = await server.start({ host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close(0));
  const url = `http://127.0.0.1:${port}`;
  return { server, port, url, handled, faults, connect: (from) => TestConnection.open(t, port, from) };
}

/** A POST with a length, as bytes on the wire; `fields` are header lines. */
export function post(path: string, body: string, ...fields: string[]): string {
  const head = [`POST ${path} HTTP/1.1`, "host: a", ...fields, `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Request line and header block, as bytes on the wire. */
export function head(line: string, ...fields: string[]): string {
  return `${[`${line} HTTP/1.1`, "host: a", ...fields].join("\r\n")}\r\n\r\n`;
}

/** Checks that `response` is the error envelope of `code`, by the contract; returns its `error`. */
export function envelope(t: Test, response: RawResponse, code: ErrorCode): ErrorEnvelope["error"] {
  const { error } = JSON.parse(response.body) as ErrorEnvelope;
  t.equal(error.code, code);
  t.match(error.trace_id, /^[0-9a-f]{32}$/);
  t.equal(response.headers["x-trace-id"], error.trace_id);
  t.equal(response.headers["content-type"], "application/json");
  return error;
}

/** Answers held back until the test releases them. */
export function held() {
  const waiting: Array<{ request: HttpRequest; respond: (response: HttpResponse) => void }> = [];
  return {
    waiting,
    handle: (request: HttpRequest, _body: Uint8Array, respond: (response: HttpResponse) => void) => {
      waiting.push({ request, respond });
    },
    next: () => waitFor(() => waiting.shift(), { message: "a request reaches the handler" }),
  };
}

/** Runs every test of `suite` with both adapters. */
export function overBothAdapters(suite: (adapter: AdapterName, t: Test) => void): void {
  for (const adapter of ["uws", "node"] as const) {
    const skip = adapter === "uws" && !hasUws() && "no binary of uWebSockets.js for this Node";
    t.test(adapter, { skip }, (t) => {
      suite(adapter, t);
      t.end();
    });
  }
}
