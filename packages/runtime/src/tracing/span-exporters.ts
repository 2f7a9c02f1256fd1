import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../log.ts";
import { errorClass } from "./tracing.ts";

type ExportDone = Parameters<SpanExporter["export"]>[1];

/** Logs once that spans do not arrive, and once that they do again. Spans in between are lost. */
export class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  #lost = 0;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: ExportDone): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === 0) this.#arrived();
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  #arrived(): void {
    if (this.#lost > 0) this.#log.info({ lostSpans: this.#lost }, "traces are exported again");
    this.#lost = 0;
  }

  /** Logs only the class of the error: its message may hold the endpoint with its password. */
  #failed(spans: number, error: unknown): void {
    if (this.#lost === 0) {
      this.#log.warn(
        { error: errorClass(error) },
        "traces cannot be exported; spans are dropped until they can",
      );
    }
    this.#lost += spans;
  }
}

type Time = ReadableSpan["startTime"];

/** For `OTEL_TRACES_EXPORTER=console`: a log line for each span, because standard output is the log. */
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
