import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { CallError, CallState } from "../api.ts";
import { Screen } from "./screen.tsx";
import { Failed, States } from "./states.tsx";

interface RecordScreenProps<A> {
  /** What it is, as long as nobody knows which: `Delivery`. */
  readonly title: string;
  readonly call: CallState<A>;
  /** For what is not there (any more); undefined for all other failures. */
  readonly onFailed: (error: CallError) => ComponentChildren | undefined;
  /** The screen of the record, with a title of its own. */
  readonly children: (answer: A, again: () => void) => ComponentChildren;
}

/**
 * A page about one record. Until there is one the page is named by what it would be: no page is without a title. What was
 * there stays if asking again fails, with the reason above it: somebody may be writing in it.
 */
export function RecordScreen<A>({ title, call, onFailed, children }: RecordScreenProps<A>) {
  const last = useRef<A | undefined>(undefined);
  if (call.state === "ready") last.current = call.answer;
  const isStale = call.state === "failed" && last.current !== undefined && onFailed(call.error) === undefined;
  if (call.state === "ready" || isStale) {
    return (
      <>
        {isStale && <Failed error={call.error} again={call.again} />}
        {children(last.current as A, call.again)}
      </>
    );
  }
  return (
    <Screen title={title}>
      <States call={call} onFailed={onFailed}>
        {() => null}
      </States>
    </Screen>
  );
}
