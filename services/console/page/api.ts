import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { AnswerFrom, ConsoleRoute, RequestTo } from "./console-routes.ts";
import { BASE } from "./frame/address.ts";
import { chosenOrganisation } from "./frame/organisation.ts";

/** An answer that is no success. `code` is one of the contract's, or `unreachable` if there was no answer. */
export class CallError extends Error {
  readonly code: string;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly traceId: string | undefined;

  constructor(status: number, error: { code: string; message: string; data?: object; trace_id?: string }) {
    super(error.message);
    this.name = "CallError";
    this.status = status;
    this.code = error.code;
    this.data = (error.data ?? {}) as Readonly<Record<string, unknown>>;
    this.traceId = error.trace_id;
  }

  /** `data.reason`, where there is one. */
  get reason(): string | undefined {
    return typeof this.data.reason === "string" ? this.data.reason : undefined;
  }
}

export interface CallOptions {
  /** Every change needs one. */
  readonly reason?: string | undefined;
  /** The same for every attempt to create one record, so that it is created once. */
  readonly idempotencyKey?: string | undefined;
  /** The `updated_at` of the record that the page shows: a change of a record that has another is refused. */
  readonly shown?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Called when an answer says that there is no session (any more). */
const onSignedOut = new Set<(error: CallError) => void>();

/** @returns a function that removes the listener */
export function whenSignedOut(listener: (error: CallError) => void): () => void {
  onSignedOut.add(listener);
  return () => onSignedOut.delete(listener);
}

/**
 * Asks the console.
 * @throws CallError for every answer that is no success, and if there is no answer
 */
export async function call<R extends ConsoleRoute>(
  route: R,
  body: RequestTo<R>,
  { reason, idempotencyKey, shown, signal }: CallOptions = {},
): Promise<AnswerFrom<R>> {
  const organisation = chosenOrganisation();
  const headers: Record<string, string> = { "content-type": "application/json", "stampede-console": "1" };
  if (organisation !== undefined) headers["stampede-console-organisation"] = organisation;
  if (reason !== undefined) headers["stampede-console-reason"] = encodeURIComponent(reason);
  if (shown !== undefined) headers["stampede-console-shown"] = shown;
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(`${BASE}api/${route}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, { code: "unreachable", message: "The console does not answer." });
  }
  if (response.ok) return answer as AnswerFrom<R>;
  const { error } = answer as { error: { code: string; message: string } };
  const failure = new CallError(response.status, error);
  if (failure.code === "authentication_error") for (const listener of onSignedOut) listener(failure);
  throw failure;
}

/** The state of a call. While the page asks again, the last answer stays. */
export type CallState<A> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: CallError; again(): void }
  | { readonly state: "forbidden"; readonly error: CallError }
  | { readonly state: "ready"; readonly answer: A; again(): void };

/**
 * Asks when the component appears, and again when the route or the body changes.
 * @param body undefined: nothing is asked yet
 * @param options.everyMs the time between two questions, while the tab is visible
 */
export function useCall<R extends ConsoleRoute>(
  route: R,
  body: RequestTo<R> | undefined,
  { everyMs }: { readonly everyMs?: number } = {},
): CallState<AnswerFrom<R>> {
  const [state, setState] = useState<CallState<AnswerFrom<R>>>({ state: "loading" });
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((last) => last + 1), []);
  const question = body === undefined ? undefined : JSON.stringify([route, body]);
  const asked = useRef<string | undefined>(undefined);
  // The list names not all that is used: `question` stands for route and body, `turn` asks again.
  useEffect(() => {
    if (body === undefined) return;
    if (asked.current !== question) setState({ state: "loading" });
    asked.current = question;
    const gone = new AbortController();
    call(route, body, { signal: gone.signal }).then(
      (answer) => gone.signal.aborted || setState({ state: "ready", answer, again }),
      (error) => gone.signal.aborted || setState(failed(error, again)),
    );
    return () => gone.abort();
  }, [question, turn]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || again(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, again]);
  return state;
}

/** The error of a call, or a fault of the page as one. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError(0, { code: "fault", message: error instanceof Error ? error.message : String(error) });
}

export function failed(error: unknown, again: () => void): CallState<never> {
  const failure = asCallError(error);
  if (failure.code === "authorization_error") return { state: "forbidden", error: failure };
  return { state: "failed", error: failure, again };
}
