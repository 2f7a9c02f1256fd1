/**
 * The time from the beginning of one day to the end of another, in the browser's zone; `until` is exclusive. Days are
 * `2026-11-23`, as a date field gives them; an empty one leaves that end open.
 */
export function daySpan(from: string, to: string): { since?: string; until?: string } {
  const since = beginningOf(from);
  const until = beginningOf(to, 1);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** The beginning of the day, or of one `later` days after it: some days have 23 or 25 hours. */
function beginningOf(day: string, later = 0): string | undefined {
  const [year, month, date] = day.split("-").map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const at = new Date(year, month - 1, date + later);
  // A half-typed year is 0002, which no request may have.
  const isPlausible = at.getFullYear() >= 2000 && at.getFullYear() < 2100;
  return isPlausible ? at.toISOString() : undefined;
}
