import type { Tally } from "./tally.ts";

/** Reasons that are listed; the file of rejected rows has all. */
const SHOWN_REASONS = 20;

/** The results of all rows: a line with the totals, and one for each reason of rejection. */
export function describeTally(tally: Tally, names: readonly string[]): string[] {
  const { created, updated, unchanged, applied, valid } = tally.taken;
  const parts = [
    ...(valid > 0 ? [`${format(valid)} valid`] : []),
    ...(created + updated + unchanged > 0 || valid + applied === 0
      ? [`${format(created)} created`, `${format(updated)} updated`, `${format(unchanged)} unchanged`]
      : []),
    ...(applied > 0 ? [`${format(applied)} applied`] : []),
    `${format(tally.rejected)} rejected`,
  ];
  const reasons = tally.reasons();
  const lines = reasons.slice(0, SHOWN_REASONS).map(({ code, reason, count, input, line, detail }) => {
    const where = names.length > 1 ? `${names[input] ?? ""}:${line}` : `line ${line}`;
    const first = `${count === 1 ? "" : "first "}${where}${detail === undefined ? "" : `: ${detail}`}`;
    return `${format(count).padStart(12)}  ${code}: ${reason} (${first})`;
  });
  const more = reasons.length - SHOWN_REASONS;
  return [
    `${format(tally.rows)} rows: ${parts.join(", ")}`,
    ...(tally.membersMade > 0 ? [`${format(tally.membersMade).padStart(12)}  members made`] : []),
    ...describeIgnored(tally),
    ...describeUnnamed(tally),
    ...lines,
    ...(more > 0 ? [`${"".padStart(12)}  and ${more} more reasons`] : []),
  ];
}

function describeIgnored({ ignored, unlisted }: Tally): string[] {
  if (ignored === 0) return [];
  const unnamed = unlisted === 0 ? "" : ` (the service did not name ${format(unlisted)} of them)`;
  return [
    `${format(ignored).padStart(12)}  differ from what is stored in fields that were not taken${unnamed}`,
  ];
}

function describeUnnamed({ unnamed }: Tally): string[] {
  if (unnamed === 0) return [];
  return [
    `${format(unnamed).padStart(12)}  of the applied may have been rejected: the service did not keep so many rejections; the same import without --async tells which`,
  ];
}

/** The two most frequent reasons, for a line of progress. */
export function describeRejected(tally: Tally): string {
  if (tally.rejected === 0) return "none rejected";
  const most = tally.reasons().slice(0, 2);
  const shown = most.map(({ count, reason }) => `${format(count)} ${reason}`).join(", ");
  return `${format(tally.rejected)} rejected (${shown})`;
}

const format = (number: number): string => number.toLocaleString("en");
