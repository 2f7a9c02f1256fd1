import { DEEDS, type Deed, type Seen } from "./quiet-one.ts";

/** One line of the table. */
export interface Measured {
  readonly attack: string;
  readonly seen: Seen;
  /** The peak memory of the edge and of the webhooks process, MiB. */
  readonly peakMiB: number;
}

/** The value below which this share of the samples lies; NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const shown = (ms: number) => (Number.isNaN(ms) ? "–" : ms.toFixed(0));

function cells(seen: Seen, deed: Deed): string {
  const samples = seen.ms[deed];
  return [0.5, 0.99, 1].map((share) => shown(quantile(samples, share))).join(" / ");
}

/** Markdown: one line for each attack, with p50 / p99 / max in milliseconds of each deed. */
export function writeTable(rows: readonly Measured[]): string {
  const head = ["attack", "refusals", "webhooks lost", ...DEEDS, "peak MiB"];
  const lines = rows.map(({ attack, seen, peakMiB }) => [
    attack,
    seen.refusals.length,
    seen.missing.length,
    ...DEEDS.map((deed) => cells(seen, deed)),
    peakMiB,
  ]);
  return [head, head.map(() => "---"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/**
 * Attacks took up to 420 MiB in the small size, and 930 in the full one; there 400 answers of 4 MiB that are
 * never read would take more than this, if the edge kept them all.
 */
const PEAK_MIB = 1_536;

/**
 * The claim for each attack: no refusal, all webhooks, and p99 below the bound. Besides, every deed
 * was tried, and memory stayed below its own bound.
 */
export function problems({ seen, peakMiB }: Measured, p99Ms: number): string[] {
  const refusals = [...new Set(seen.refusals)].slice(0, 5);
  const untried = DEEDS.filter((deed) => seen.ms[deed].length === 0);
  const late = DEEDS.filter((deed) => quantile(seen.ms[deed], 0.99) >= p99Ms);
  return [
    ...refusals.map((refusal) => `refused: ${refusal}`),
    ...(seen.missing.length > 0 ? [`${seen.missing.length} webhooks have not come`] : []),
    ...untried.map((deed) => `no sample of ${deed}`),
    ...(peakMiB > PEAK_MIB ? [`${peakMiB} MiB of memory`] : []),
    ...late.map((deed) => `p99 of ${deed}: ${quantile(seen.ms[deed], 0.99).toFixed(0)} ms`),
  ];
}
