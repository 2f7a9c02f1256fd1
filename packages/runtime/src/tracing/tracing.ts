/** Never bodies, tokens, card data or URLs with user names: attributes go to the collector. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** A span that is recorded; `undefined` where none is (tracing is off, or the trace is not sampled). */
export interface Span {
  /** 32 lower-case hex characters. */
  readonly traceId: string;
  /** Continues the span in another process (W3C Trace Context); always sampled. */
  readonly traceparent: string;
  /** Begins a child of this span, in this process. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /**
   * To be called once.
   * @param error why the work failed: a class of errors, never a message, which may hold data
   */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** The beginning of a trace, or of our part of a caller's trace. */
export interface ServedRequest {
  readonly name: string;
  /** The trace that the request belongs to; the caller or the server made its id. */
  readonly traceId: string;
  /** The caller's `traceparent`, of that trace. */
  readonly traceparent: string | undefined;
  /** `performance.now()`, milliseconds. */
  readonly startedAt: number;
  readonly attributes: SpanAttributes;
}

/** Work that follows from other spans: those of the requests in a message, or of the messages in a batch. */
export interface FollowedWork {
  readonly name: string;
  readonly kind: SpanKind;
  /** The `traceparent` of each; one that is absent, empty, malformed or not sampled is skipped. */
  readonly from: Iterable<string | null | undefined>;
  readonly attributes: SpanAttributes;
}

/** Makes the spans of one process, and sends them to a collector. Absent where nothing is traced. */
export interface Tracing {
  /** Undefined if this request is not sampled. */
  serve(request: ServedRequest): Span | undefined;
  /**
   * Work that follows from one span continues its trace. Work that follows from several begins a trace of its
   * own, with links to at most 128 of them. Work that follows from no sampled span is not recorded.
   */
  follow(work: FollowedWork): Span | undefined;
  /** Sends the spans that are left, for at most this many milliseconds; the rest is dropped. */
  stop(withinMs: number): Promise<void>;
}

/** Does a part of a span's work, in a child span where there is a parent. */
export async function inSpan<T>(
  parent: Span | undefined,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
  kind: SpanKind = "internal",
  attributes?: SpanAttributes,
): Promise<T> {
  return untilDone(parent?.child(name, kind, attributes), work);
}

/** Does the work of a span and ends it. */
export async function untilDone<T>(
  span: Span | undefined,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (span === undefined) return work(undefined);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end(undefined, errorClass(error));
    throw error;
  }
}

/** The class of an error: its code if it has one, otherwise its name. Messages may quote data. */
export function errorClass(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : error.name;
}
