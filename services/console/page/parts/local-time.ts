/** Converts times between the API and the fields of a form, which mean the browser's zone. */

/** RFC 3339 → `2026-11-23T14:02:07` in the browser's zone; empty for an empty text. */
export function toLocal(at: string | Date): string {
  if (at === "") return "";
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The same back, in UTC. */
export function fromLocal(local: string): string {
  return local === "" ? "" : new Date(local).toISOString();
}
