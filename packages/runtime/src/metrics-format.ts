import type { MetricsFormat } from "./exposition.ts";

/**
 * What a scrape asks for by its `Accept` header. OpenMetrics only for those that name it, and do not like plain text
 * better; a browser, curl and whatever takes anything get plain text.
 */
export function preferredFormat(accept: string | undefined): MetricsFormat {
  const openMetrics = quality(accept, /^application\/openmetrics-text$/i, /^(?:1\.0\.0|0\.0\.1)$/);
  const text = quality(accept, /^text\/(?:plain|\*)$/i, /^0\.0\.4$/);
  return openMetrics > 0 && openMetrics >= text ? "openmetrics" : "text";
}

/** The highest `q` that a range of this type and version has; without a `version` it takes any. 0: none. */
function quality(accept: string | undefined, type: RegExp, version: RegExp): number {
  let best = 0;
  for (const range of (accept ?? "").split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!type.test(name)) continue;
    const values = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string]));
    const wanted = values.get("version");
    if (wanted !== undefined && !version.test(wanted)) continue;
    best = Math.max(best, Number(values.get("q") ?? 1) || 0);
  }
  return best;
}
