import type { ComponentChildren } from "preact";

/** - good: all is well. - busy: under way. - bad: a user should look. - plain: none of these. */
export type BadgeKind = "plain" | "good" | "busy" | "bad";

/** A state in one word. The word says it; the colour only helps. */
export function Badge({
  kind = "plain",
  children,
}: {
  readonly kind?: BadgeKind;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}
