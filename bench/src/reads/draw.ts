import { COLORS, drawCharts } from "../draw.ts";
import type { Chart } from "../line-chart.ts";
import { READ_ROUTES } from "./read-plan.ts";
import type { ReadsResults } from "./results.ts";

/** One self-contained SVG: requests a second and p99 over the median run of each route. */
export function drawReads({ measured }: ReadsResults, title: string): string {
  const charts = READ_ROUTES.flatMap((route): Chart[] => {
    const own = measured.filter((one) => one.route === route);
    if (own.length === 0) return [];
    const chart = (what: string, unit: string, value: "perSecond" | "p99"): Chart => ({
      title: `${route}, closed loop at full load: ${what}`,
      unit,
      lines: own.map(({ contender, run }) => ({
        name: contender,
        color: COLORS[contender],
        dashed: false,
        points: run.figures.pieces.map(
          (piece) => [piece.second, value === "p99" ? piece.latency.p99 : piece.perSecond] as const,
        ),
      })),
    });
    return [chart("requests a second", "", "perSecond"), chart("p99", " ms", "p99")];
  });
  return drawCharts(charts, title);
}
