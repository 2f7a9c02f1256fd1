import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { CallState } from "../api.ts";
import { Failed, States } from "./states.tsx";

interface ScreenProps {
  readonly title: string;
  /** Beside the title: buttons and links. */
  readonly actions?: ComponentChildren;
  /** Below the title: what the page shows, in a sentence. */
  readonly lead?: ComponentChildren;
  /** What was done last, in a sentence. */
  readonly notice?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A page: its title, in the tab as well, and its content. */
export function Screen({ title, actions, lead, notice, children }: ScreenProps) {
  // Before the page is drawn: a screen reader says the title when the page changes.
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
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
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

interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

/** Names and values of one record. Facts without a value are left out. */
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
  /** Until the record is there: `Delivery`. */
  readonly title: string;
  readonly call: CallState<A>;
  /** For `not_found`. */
  readonly missing: ComponentChildren;
  /** The screen of the record, with a title of its own. */
  readonly children: (answer: A, again: () => void) => ComponentChildren;
}

/**
 * A page about one record. If asking again fails, the record stays, with the reason above it: the user may be typing in
 * a form.
 */
export function RecordScreen<A>({ title, call, missing, children }: RecordScreenProps<A>) {
  const last = useRef<A | undefined>(undefined);
  if (call.state === "ready") last.current = call.answer;
  const isStale = call.state === "failed" && last.current !== undefined && call.error.code !== "not_found";
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
      <States call={call} missing={missing}>
        {() => null}
      </States>
    </Screen>
  );
}
