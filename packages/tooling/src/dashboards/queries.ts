import type { QuerySpec } from "./panel-spec.ts";

const WINDOW = "$__rate_interval";

/** Per second, summed over all that `by` does not name. @param selector such as `name{service="edge"}` */
export function rateBy(by: string, selector: string): string {
  return `sum by (${by}) (rate(${selector}[${WINDOW}]))`;
}

/** Per second, all together. */
export function rate(selector: string): string {
  return `sum(rate(${selector}[${WINDOW}]))`;
}

/** @param histogram its name, without `_bucket`; @param matchers such as `service="edge"`, may be empty */
export function quantile(q: number, histogram: string, matchers: string, by = ""): string {
  const labels = by === "" ? "le" : `${by}, le`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${series(`${histogram}_bucket`, matchers)}[${WINDOW}])))`;
}

/** The median and what the slowest of a hundred take. */
export function latency(histogram: string, matchers: string): QuerySpec[] {
  return [0.5, 0.9, 0.99].map((q) => ({
    expr: quantile(q, histogram, matchers),
    legend: `p${q * 100}`,
  }));
}

/** The mean of what a histogram was told. */
export function mean(histogram: string, matchers: string, by = ""): string {
  const of = (suffix: string) => {
    const selector = series(`${histogram}_${suffix}`, matchers);
    return by === "" ? rate(selector) : rateBy(by, selector);
  };
  return `${of("sum")} / (${of("count")} > 0)`;
}

export function series(name: string, matchers: string): string {
  return matchers === "" ? name : `${name}{${matchers}}`;
}

/** One query whose lines are called by a label. */
export function byLabel(label: string, expr: string): QuerySpec[] {
  return [{ expr, legend: `{{${label}}}` }];
}
