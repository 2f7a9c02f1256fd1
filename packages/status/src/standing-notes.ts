import type { Change } from "./change.ts";
import type { HopService } from "./hop-services.ts";

/**
 * A service's work that has not moved for longer than a moment, with the cause in words; for each hop the
 * longest.
 */
export function standingNotes(change: Change, service: HopService): string[] {
  const longest = new Map<string, { readonly value: number; readonly words: string }>();
  for (const { scrape } of change.sources) {
    for (const { labels, value } of scrape.samples("stampede_hop_standing_seconds", { service })) {
      const { where = "", cause = "", said = "" } = labels;
      if (value <= (longest.get(where)?.value ?? 0)) continue;
      longest.set(where, {
        value,
        words: `${where} has not moved for ${Math.floor(value)} s (${cause}): ${said}`,
      });
    }
  }
  return [...longest.values()].map(({ words }) => words);
}

/** From this share of failures by our own fault on an operator should look; below the rate chance explains them. */
const REFUSED_SHARE = 0.05;
const REFUSED_PER_SECOND = 0.5;

/** @param edge requests answered in a second, and how many of them with 500 or 503 */
export function refusedShare({ errors, rate }: { readonly errors: number; readonly rate: number }): string[] {
  if (errors < REFUSED_PER_SECOND || errors < REFUSED_SHARE * rate) return [];
  return [`${Math.round((100 * errors) / rate)} % of requests are answered 500 or 503`];
}
