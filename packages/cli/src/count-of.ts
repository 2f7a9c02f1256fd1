/** `1 event`, `2 events`. @param what in the singular */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
