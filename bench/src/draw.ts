import type { RunResult } from "./arena.ts";
import { type Chart, type Line, lineChart } from "./line-chart.ts";
import type { Results } from "./results.ts";

const WIDTH = 960;
const CHART_HEIGHT = 240;
export const COLORS = { stampede: "#0b6e99", peer: "#d9730d", ceiling: "#7a7a7a" } as const;

/**
 * One self-contained SVG: events a second over the median run, latency percentiles over time at half load, and the
 * queue. Time is the run's own, from the end of its warm-up.
 */
export function drawResults(results: Results, title: string): string {
  const charts = [
    ...throughputCharts(results),
    ...growthCharts(results),
    ...latencyCharts(results),
    ...queueCharts(results),
  ];
  return drawCharts(charts, title);
}

/** Charts one below the other. */
export function drawCharts(charts: readonly Chart[], title: string): string {
  const height = 48 + charts.length * CHART_HEIGHT;
  const body = charts.map((chart, i) => {
    const drawn = lineChart(chart, WIDTH, CHART_HEIGHT);
    return `<g transform="translate(0 ${48 + i * CHART_HEIGHT})">${drawn}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" \
font-family="system-ui, sans-serif" font-size="12" fill="#222">
<rect width="100%" height="100%" fill="#fff"/>
<text x="24" y="30" font-size="17" font-weight="600">${escapeText(title)}</text>
${body.join("\n")}
</svg>
`;
}

function sizesOf(results: Results): number[] {
  return [...new Set(results.throughput.map(({ size }) => size))];
}

function throughputCharts(results: Results): Chart[] {
  return sizesOf(results).map((size) => ({
    title: `Requests of ${size}, closed loop at full load: events a second`,
    unit: "",
    lines: results.throughput
      .filter((one) => one.size === size)
      .map(({ contender, measured }) => ({
        name: contender,
        color: COLORS[contender],
        dashed: false,
        points: measured.series.map(({ second, eventsPerSecond }) => [second, eventsPerSecond] as const),
      })),
  }));
}

function growthCharts({ growth }: Results): Chart[] {
  if (growth === undefined) return [];
  const line = (name: string, color: string, { measured }: RunResult): Line => ({
    name,
    color,
    dashed: false,
    points: measured.series.map(({ second, eventsPerSecond }) => [second, eventsPerSecond] as const),
  });
  const lines = [
    line("empty table", COLORS.ceiling, growth.empty),
    line(`${growth.rows} rows`, COLORS.stampede, growth.full),
  ];
  return [{ title: "Requests of 500 with and without rows in the table: events a second", unit: "", lines }];
}

function latencyCharts(results: Results): Chart[] {
  const sizes = [...new Set(results.latency.map(({ size }) => size))];
  return sizes.map((size) => ({
    title: `Requests of ${size}, open loop, each at half of its own maximum: latency`,
    unit: " ms",
    lines: results.latency
      .filter((one) => one.size === size && isOwnHalf(one.contender, one.load))
      .flatMap(({ contender, run }): Line[] =>
        (["p50", "p99"] as const).map((rank) => ({
          name: `${contender} ${rank}`,
          color: COLORS[contender],
          dashed: rank === "p50",
          points: run.measured.series.map(({ second, latency }) => [second, latency[rank]] as const),
        })),
      ),
  }));
}

function isOwnHalf(contender: string, load: string): boolean {
  return contender === "stampede" ? load.includes("Stampede") : load.includes("own");
}

function queueCharts(results: Results): Chart[] {
  const runs = results.throughput.flatMap(({ contender, size, run }) =>
    contender === "stampede" && run ? [{ name: `requests of ${size}`, run }] : [],
  );
  if (results.overload) runs.push({ name: "10 × overload", run: results.overload.run });
  const shades = ["#0b6e99", "#448361", "#9065b0", "#d44c47"];
  const charts: Chart[] = [];
  const chart = (title: string, shown: typeof runs): void => {
    const lines = shown.map(({ name, run }, i) => ({
      name,
      color: shades[i % shades.length] as string,
      dashed: false,
      points: run.usage.queue
        .map(({ atMs, depth }) => [(atMs - run.startedAtMs) / 1000, depth] as const)
        .filter(([second]) => second >= 0),
    }));
    charts.push({ title, unit: "", lines });
  };
  if (runs.length > 0) chart("Queue depth: messages in the ingest streams, 200 after commit", runs);
  if (results.async) {
    chart("Queue depth in 202 mode: messages in the ingest streams", [
      { name: "202 mode", run: results.async.accepted },
    ]);
  }
  return charts;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
