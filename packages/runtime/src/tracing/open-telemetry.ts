import { randomUUID } from "node:crypto";
import {
  type Context,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from "@opentelemetry/sdk-trace-base";
import type { Log } from "../log.ts";
import { samplerOf } from "./sampler.ts";
import { LogExporter, WatchedExporter } from "./span-exporters.ts";
import { readTraceparent, writeTraceparent } from "./traceparent.ts";
import type { FollowedWork, ServedRequest, Span, SpanAttributes, SpanKind, Tracing } from "./tracing.ts";
import type { TracingEnvironment } from "./tracing-environment.ts";

/** The specification's own limit for the links of a span. */
const LINKS_MAX = 128;

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
  internal: OtelSpanKind.INTERNAL,
};

interface OpenTelemetryOptions {
  readonly service: string;
  readonly version: string;
  readonly exporter: "otlp" | "console";
  readonly log: Log;
  readonly env: TracingEnvironment;
}

/**
 * Tracing with OpenTelemetry's SDK, which reads its own settings from the environment: endpoint, headers,
 * time-outs, sizes of its queue and batches. The queue is bounded: a collector that is slow or away costs
 * spans and nothing else.
 *
 * Spans are passed on by hand, because the SDK's implicit context would follow every promise of the process.
 */
export function openTelemetry({ service, version, exporter, log, env }: OpenTelemetryOptions): Tracing {
  const sampler = samplerOf(env);
  const ids = new TraceIds();
  const sink = exporter === "otlp" ? new OTLPTraceExporter() : new LogExporter(log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          "service.name": `stampede-${service}`,
          "service.version": version,
          "service.instance.id": randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    sampler,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new WatchedExporter(sink, log))],
  });
  const tracer = provider.getTracer("stampede", version);
  log.info({ exporter, sampler: String(sampler) }, "tracing is on");
  return {
    serve: (request) => ids.as(request.traceId, () => serve(tracer, request)),
    follow: (work) => follow(tracer, work),
    async stop(withinMs) {
      // Spans that cannot be sent by then are lost; a warning has been logged.
      const sent = provider.shutdown().catch(() => {});
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([sent, late]);
      clearTimeout(timer);
    },
  };
}

function serve(tracer: Tracer, request: ServedRequest): Span | undefined {
  const parent = request.traceparent === undefined ? undefined : readContext(request.traceparent);
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const startTime = Date.now() - (performance.now() - request.startedAt);
  const options = { kind: OtelSpanKind.SERVER, startTime, attributes: { ...request.attributes } };
  return recorded(tracer, tracer.startSpan(request.name, options, context));
}

function follow(tracer: Tracer, { name, kind, from, attributes }: FollowedWork): Span | undefined {
  const contexts = sampledContexts(from);
  const [first] = contexts;
  if (first === undefined) return undefined;
  const options = { kind: KINDS[kind], attributes: { ...attributes } };
  if (contexts.length === 1) {
    return recorded(tracer, tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, first)));
  }
  const links = contexts.map((context) => ({ context }));
  return recorded(tracer, tracer.startSpan(name, { ...options, links }, ROOT_CONTEXT));
}

function sampledContexts(from: Iterable<string | null | undefined>): SpanContext[] {
  const contexts: SpanContext[] = [];
  const seen = new Set<string>();
  for (const text of from) {
    if (text === null || text === undefined || text === "" || seen.has(text)) continue;
    seen.add(text);
    const context = readContext(text);
    if (context === undefined || (context.traceFlags & TraceFlags.SAMPLED) === 0) continue;
    contexts.push(context);
    if (contexts.length === LINKS_MAX) break;
  }
  return contexts;
}

function readContext(text: string): SpanContext | undefined {
  const given = readTraceparent(text);
  if (given === undefined) return undefined;
  const traceFlags = given.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId: given.traceId, spanId: given.parentId, traceFlags, isRemote: true };
}

function recorded(tracer: Tracer, span: OtelSpan): Span | undefined {
  return span.isRecording() ? new RecordedSpan(tracer, span) : undefined;
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #context: Context;

  constructor(tracer: Tracer, span: OtelSpan) {
    const context = span.spanContext();
    this.traceId = context.traceId;
    const isSampled = (context.traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceparent = writeTraceparent({ traceId: context.traceId, parentId: context.spanId, isSampled });
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
  }

  child(name: string, kind: SpanKind, attributes: SpanAttributes = {}): Span {
    const options = { kind: KINDS[kind], attributes: { ...attributes } };
    return new RecordedSpan(this.#tracer, this.#tracer.startSpan(name, options, this.#context));
  }

  end(attributes?: SpanAttributes, error?: string): void {
    if (attributes !== undefined) this.#span.setAttributes({ ...attributes });
    if (error !== undefined) {
      this.#span.setAttribute("error.type", error);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

/** Random ids, except for a request's trace, which has its id before its span: the answer carries it. */
class TraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: string | undefined;

  /** If `begin` begins a trace, that trace gets this id. */
  as<T>(traceId: string, begin: () => T): T {
    this.#given = traceId;
    try {
      return begin();
    } finally {
      this.#given = undefined;
    }
  }

  readonly generateTraceId = (): string => this.#given ?? this.#random.generateTraceId();
  readonly generateSpanId = (): string => this.#random.generateSpanId();
}
