import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { CallError, CallState } from "../api.ts";
import { Failed, States } from "./states.tsx";

interface ScreenProps {
  readonly title: string;
  /** Beside the title: what can be done here. */
  readonly actions?: ComponentChildren;
  /** Below the title: one sentence that says what one sees. */
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page: its title, in the tab as well, and what is on it. */
export function Screen({ title, actions, lead, children }: ScreenProps) {
  // With the page, and not after it is drawn: a reader of screens says the title when the page changes.
  useLayoutEffect(() => {
    document.title = `${title} · Stampede`;
  }, [title]);
  return (
    <article class="screen">
      <div class="screen-head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </article>
  );
}

interface SectionProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page, with a heading of its own. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

/** What is known of one thing: names and values. Facts without a value are left out. */
export function Facts({ facts }: { readonly facts: ReadonlyArray<Fact | undefined> }) {
  const known = facts.filter((fact) => fact !== undefined && fact.value !== undefined && fact.value !== null);
  return (
    <dl class="facts">
      {(known as Fact[]).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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
