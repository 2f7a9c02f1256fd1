import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../log.ts";

type Time = ReadableSpan["startTime"];

/** `OTEL_TRACES_EXPORTER=console`: a log line for each span. The process's standard output is the log. */
export class LogExporter implements SpanExporter {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      this.#log.info(
        {
          traceId,
          spanId,
          parentSpanId: span.parentSpanContext?.spanId,
          name: span.name,
          start: new Date(milliseconds(span.startTime)).toISOString(),
          ms: milliseconds(span.duration),
          attributes: span.attributes,
          links: span.links.map(({ context }) => `${context.traceId}-${context.spanId}`),
        },
        "span",
      );
    }
    done({ code: 0 });
  }

  async shutdown(): Promise<void> {}
}

function milliseconds([seconds, nanoseconds]: Time): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
