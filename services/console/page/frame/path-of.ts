/** `pathOf("purchase", "a/b")` → `/purchase/a%2Fb`. */
export function pathOf(...parts: string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
