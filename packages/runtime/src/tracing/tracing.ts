/** Never bodies, tokens, card data or URLs with user info: what is in here leaves for whoever runs the collector. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** A span that is recorded. What is not recorded (tracing is off, or the trace is not sampled) is `undefined` instead. */
export interface Span {
  /** 32 lower-case hex characters. */
  readonly traceId: string;
  /** What continues it elsewhere (W3C Trace Context), sampled. */
  readonly traceparent: string;
  /** A part of it, in this process. */
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** Called once. @param error what it failed for: a class of errors, never a message, which may hold data */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** The beginning of a trace, or of our part of the caller's. */
export interface ServedRequest {
  readonly name: string;
  /** The trace that it belongs to, whoever made it up. */
  readonly traceId: string;
  /** The caller's, of that trace. */
  readonly traceparent: string | undefined;
  /** `performance.now()`, milliseconds. */
  readonly startedAt: number;
  readonly attributes: SpanAttributes;
}

/** Work that follows from other spans: those of the requests in a message, or of the messages in a batch. */
export interface FollowedWork {
  readonly name: string;
  readonly kind: SpanKind;
  /** Their `traceparent`; what is absent, empty, malformed or not sampled is passed over. */
  readonly from: Iterable<string | null | undefined>;
  readonly attributes: SpanAttributes;
}

/** Spans of one process, on their way to whoever collects them. A service that is not traced has none of these. */
export interface Tracing {
  /** undefined: this request is not sampled. */
  serve(request: ServedRequest): Span | undefined;
  /**
   * What followed from one span goes on in its trace. What followed from several begins a trace of its own, with links to
   * at most 128 of them. What followed from none that is sampled is not recorded.
   */
  follow(work: FollowedWork): Span | undefined;
  /** Sends what is left, for at most so long; the rest is dropped. */
  stop(withinMs: number): Promise<void>;
}

/** Does a part of a span's work, as a span of its own where there is one. */
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

/** What kind of error it is: its code where it has one, else its class. Messages may quote data. */
export function errorClass(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : error.name;
}
