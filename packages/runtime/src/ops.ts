import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { Health, Readiness } from "./health.ts";
import {
  METRICS_CONTENT_TYPE,
  type MetricFamily,
  type MetricsFormat,
  readFamilies,
  renderMetrics,
} from "./metrics/exposition.ts";

export interface OpsAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers a request for an operations endpoint. Only `/metrics` uses the header `accept`. */
export type Ops = (pathAndQuery: string, accept?: string | undefined) => Promise<OpsAnswer>;

const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json";

/** The operations endpoints of one process, however they are reached: HTTP, or IPC in the all-in-one. */
export class OpsEndpoints {
  readonly #health: Health;
  readonly #registry: Registry;

  constructor(health: Health, registry: Registry) {
    this.#health = health;
    this.#registry = registry;
  }

  /**
   * `pathAndQuery`: `/livez`, `/readyz`, `/readyz?verbose`, `/metrics`, `/metrics.json`; the last two also in
   * part, in the form of Prometheus' own clients: `/metrics?name[]=a_total&name[]=b_seconds`.
   */
  async answer(pathAndQuery: string, accept?: string | undefined): Promise<OpsAnswer> {
    const [path, query] = pathAndQuery.split("?", 2);
    switch (path) {
      case "/livez":
        return { status: 200, contentType: TEXT, body: "ok\n" };
      case "/readyz":
        return answerReadiness(this.#health.readiness(), query);
      case "/metrics":
        return answerMetrics(await readFamilies(this.#registry, namesIn(query)), accept);
      case "/metrics.json":
        return { status: 200, contentType: JSON_TYPE, body: await this.#metricsJson(namesIn(query)) };
      default:
        return { status: 404, contentType: TEXT, body: "try /livez, /readyz?verbose or /metrics\n" };
    }
  }

  /** For the process that joins the metrics of several others (`readMetricsJson`). */
  async #metricsJson(names: readonly string[]): Promise<string> {
    const families = await readFamilies(this.#registry, names);
    // JSON knows neither NaN nor infinity.
    return JSON.stringify(families, (_key, value) =>
      typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
    );
  }
}

/** `/readyz`, with all checks if the query has `verbose`. */
export function answerReadiness(readiness: Readiness, query = ""): OpsAnswer {
  const status = readiness.ready ? 200 : 503;
  if (new URLSearchParams(query).has("verbose")) {
    return { status, contentType: JSON_TYPE, body: `${JSON.stringify(readiness, null, 2)}\n` };
  }
  return { status, contentType: TEXT, body: readiness.ready ? "ready\n" : "not ready\n" };
}

function namesIn(query: string | undefined): string[] {
  return new URLSearchParams(query).getAll("name[]");
}

/** The inverse of `/metrics.json`. */
export function readMetricsJson(body: string): MetricFamily[] {
  const families = JSON.parse(body) as MetricFamily[];
  return families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({ ...sample, value: Number(sample.value) })),
  }));
}

/** `/metrics`, in the format that the scrape asks for. */
export function answerMetrics(families: readonly MetricFamily[], accept: string | undefined): OpsAnswer {
  const format = preferredFormat(accept);
  return { status: 200, contentType: METRICS_CONTENT_TYPE[format], body: renderMetrics(families, format) };
}

/** Serves the operations endpoints over HTTP (GET and HEAD only). Resolves once it listens. */
export async function serveOps(
  answer: Ops,
  address: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    try {
      const { status, contentType, body } = await answer(request.url ?? "/", request.headers.accept);
      response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" }).end(body);
    } catch {
      response.writeHead(500, { "content-type": TEXT }).end("this process could not answer\n");
    }
  });
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => resolve());
  });
}

/**
 * The format that a scrape asks for with its `Accept` header. OpenMetrics only if the header names it, and
 * does not prefer plain text; a browser, curl and everything that accepts anything get plain text.
 */
export function preferredFormat(accept: string | undefined): MetricsFormat {
  const openMetrics = quality(accept, /^application\/openmetrics-text$/i, /^(?:1\.0\.0|0\.0\.1)$/);
  const text = quality(accept, /^text\/(?:plain|\*)$/i, /^0\.0\.4$/);
  return openMetrics > 0 && openMetrics >= text ? "openmetrics" : "text";
}

/** The highest `q` of a range with this type and version (one without a version accepts any), or 0. */
function quality(accept: string | undefined, type: RegExp, version: RegExp): number {
  let best = 0;
  for (const range of (accept ?? "").split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!type.test(name)) continue;
    const values = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string]));
    const wanted = values.get("version");
    if (wanted !== undefined && !version.test(wanted)) continue;
    best = Math.max(best, Number(values.get("q") ?? 1) || 0);
  }
  return best;
}
