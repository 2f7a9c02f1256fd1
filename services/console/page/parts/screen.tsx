import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";

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
