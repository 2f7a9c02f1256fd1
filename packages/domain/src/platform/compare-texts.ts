/** Sorts by code units: the language of the machine must not decide anything. So do UUIDs in Postgres. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
