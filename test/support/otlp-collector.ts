import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it arrived, with the fields that tests read. */
export interface CollectedSpan {
  /** The `service.name` of its process. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if the span begins its trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>;
  /** 2 if the span failed. */
  readonly status: number;
}

/** Collects traces by OTLP over HTTP, as JSON. */
export interface OtlpCollector {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All that was received, as text. */
  text(): string;
  close(): Promise<void>;
}

interface Exported {
  resourceSpans?: Array<{
    resource?: { attributes?: Attribute[] };
    scopeSpans?: Array<{ spans?: ExportedSpan[] }>;
  }>;
}

interface Attribute {
  key: string;
  value: Readonly<Record<string, unknown>>;
}

interface ExportedSpan extends Omit<CollectedSpan, "service" | "attributes" | "links" | "status"> {
  attributes?: Attribute[];
  links?: Array<{ traceId: string; spanId: string }>;
  status?: { code?: number };
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      if (request.url === "/v1/traces") {
        texts.push(text);
        spans.push(...readSpans(JSON.parse(text) as Exported));
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    text: () => texts.join("\n"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans({ resourceSpans = [] }: Exported): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(readAttributes(resource?.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => readSpan(service, span)));
  });
}

function readSpan(service: string, span: ExportedSpan): CollectedSpan {
  return {
    service,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? "",
    name: span.name,
    kind: span.kind,
    attributes: readAttributes(span.attributes),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
    status: span.status?.code ?? 0,
  };
}

/** `{"key":"a","value":{"intValue":1}}` as `a: 1`. */
function readAttributes(attributes: readonly Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
