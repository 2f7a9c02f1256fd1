import { type IdGenerator, RandomIdGenerator } from "@opentelemetry/sdk-trace-base";

/** Random ids, but for the trace of a request, which has one before there is a span: its answer carries it. */
export class TraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: string | undefined;

  /** The next trace begins under this id, if `begin` begins one. */
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
