/** `ada, Corner Coffee, yesterday`: whose purchases, where, and on which day, as far as it is said. */
export interface PlaceQuery {
  /** A member's ref. */
  readonly who: string | undefined;
  /** A retailer's name or the beginning of it, a merchant id, or what a statement begins with. */
  readonly place: string;
  /** As a date field gives it, `2026-11-23`, in the zone of who reads. */
  readonly day: string | undefined;
}

/** A ref and a retailer's name have at most so many characters (contract, sections 5 and 8). */
const PART_LENGTH = 256;

/** Undefined for what has another form. */
export function readPlace(text: string, now: Date): PlaceQuery | undefined {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > 3 || parts.some((part) => part === "" || part.length > PART_LENGTH)) return undefined;
  const day = parts.length > 1 ? dayIn(parts.at(-1) as string, now) : undefined;
  const [first = "", second, third] = day === undefined ? parts : parts.slice(0, -1);
  if (third !== undefined) return undefined;
  return second === undefined ? { who: undefined, place: first, day } : { who: first, place: second, day };
}

function dayIn(text: string, now: Date): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const back = { today: 0, yesterday: 1 }[text.toLowerCase()];
  if (back === undefined) return undefined;
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
