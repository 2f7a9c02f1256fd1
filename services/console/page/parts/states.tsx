import type { ComponentChildren } from "preact";
import type { CallError, CallState } from "../api.ts";

interface StatesProps<A> {
  readonly call: CallState<A>;
  /** Shown if the answer holds nothing. */
  readonly empty?: { readonly when: (answer: A) => boolean; readonly say: ComponentChildren };
  /** For `not_found`; undefined: it is shown like any other failure. */
  readonly missing?: ComponentChildren;
  readonly children: (answer: A) => ComponentChildren;
}

/** A call in its state: loading, failed (with a button that tries again), forbidden, empty, or the answer. */
export function States<A>({ call, empty, missing, children }: StatesProps<A>) {
  switch (call.state) {
    case "loading":
      return <Loading />;
    case "forbidden":
      return (
        <Message title="Not for your role" kind="forbidden">
          {call.error.message}
        </Message>
      );
    case "failed":
      if (missing !== undefined && call.error.code === "not_found") return <>{missing}</>;
      return <Failed error={call.error} again={call.again} />;
    case "ready":
      if (empty?.when(call.answer)) return <p class="empty">{empty.say}</p>;
      return <>{children(call.answer)}</>;
  }
}

/** The style shows it after a moment only: most answers come earlier, and the page does not flicker. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading
    </p>
  );
}

interface FailedProps {
  readonly error: CallError;
  readonly again?: (() => void) | undefined;
}

export function Failed({ error, again }: FailedProps) {
  return (
    <Message title="This could not be loaded" kind="failed">
      <span>{error.message}</span>
      {error.traceId !== undefined && <code class="trace">{error.traceId}</code>}
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </Message>
  );
}

interface MessageProps {
  readonly title: string;
  readonly kind?: "plain" | "failed" | "forbidden";
  readonly children?: ComponentChildren;
}

/** A sentence in the place of what cannot be shown. */
export function Message({ title, kind = "plain", children }: MessageProps) {
  return (
    <div class={`message message-${kind}`} role={kind === "failed" ? "alert" : undefined}>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}
