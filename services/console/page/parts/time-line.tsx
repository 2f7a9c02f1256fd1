import type { ComponentChildren } from "preact";
import { Moment } from "./moment.tsx";

export interface TimeLineEntry {
  readonly key: string;
  /** ISO 8601; undefined for a step still to come. */
  readonly at: string | undefined;
  readonly title: ComponentChildren;
  readonly detail?: ComponentChildren;
  /** - done: it happened. - waiting: it is to come. - stopped: it went wrong, or was taken back. */
  readonly state: "done" | "waiting" | "stopped";
}

/** Steps one below the other, from the first to those still to come. */
export function TimeLine({ entries }: { readonly entries: readonly TimeLineEntry[] }) {
  return (
    <ol class="time-line">
      {entries.map(({ key, at, title, detail, state }) => (
        <li key={key} class={`step step-${state}`}>
          <span class="step-at">{at === undefined ? "to come" : <Moment at={at} />}</span>
          <div class="step-what">
            <div>{title}</div>
            {detail !== undefined && <div class="quiet">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
