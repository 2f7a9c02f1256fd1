import type { ComponentChildren } from "preact";

/** - good: as it should be. - busy: under way. - bad: somebody should look. - plain: neither. */
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
