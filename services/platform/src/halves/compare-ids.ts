/**
 * UUIDs in the order in which Postgres has them. Whoever locks or inserts several halves does it in this order, records
 * before payments, so that no two transactions wait for each other.
 */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
