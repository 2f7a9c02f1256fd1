/** A chart of lines over seconds, as SVG elements. */
export interface Chart {
  readonly title: string;
  /** After the numbers of the vertical axis. */
  readonly unit: string;
  readonly lines: readonly Line[];
}

export interface Line {
  readonly name: string;
  readonly color: string;
  readonly dashed: boolean;
  readonly points: readonly (readonly [second: number, value: number])[];
}

/** A line without dashes. */
export function lineOf(name: string, color: string, points: Line["points"]): Line {
  return { name, color, dashed: false, points };
}

const LEFT = 76;
const RIGHT = 160;
const TOP = 30;
const BOTTOM = 34;
const STEPS = 4;

function lineChart(chart: Chart, width: number, height: number): string {
  const points = chart.lines.flatMap((line) => line.points);
  const seconds = Math.max(1, ...points.map(([second]) => second));
  const top = roundUp(Math.max(1, ...points.map(([, value]) => value)));
  const right = width - RIGHT;
  const bottom = height - BOTTOM;
  const x = (second: number) => round(LEFT + ((right - LEFT) * second) / seconds);
  const y = (value: number) => round(bottom - ((bottom - TOP) * value) / top);
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = (top * step) / STEPS;
    return `<path d="M${LEFT} ${y(value)}H${right}" stroke="#e3e3e3"/>\
<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${short(value)}${chart.unit}</text>`;
  });
  const ticks = Array.from({ length: 5 }, (_, step) => {
    const second = (seconds * step) / 4;
    return `<text x="${x(second)}" y="${bottom + 18}" text-anchor="middle">${round(second)} s</text>`;
  });
  const lines = chart.lines.map((line, i) => {
    const path = line.points
      .map(([second, value], at) => `${at ? "L" : "M"}${x(second)} ${y(value)}`)
      .join("");
    const dash = line.dashed ? ' stroke-dasharray="5 4"' : "";
    const stroke = `fill="none" stroke="${line.color}" stroke-width="2"${dash}`;
    const legend = TOP + 10 + i * 20;
    return `<path d="${path}" ${stroke}/><path d="M${right + 14} ${legend - 4}h24" ${stroke}/>\
<text x="${right + 44}" y="${legend}">${line.name}</text>`;
  });
  const title = `<text x="24" y="16" font-weight="600">${chart.title}</text>`;
  return [title, ...grid, ...ticks, ...lines].join("\n");
}

/** To 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function short(value: number): string {
  return value >= 1000 ? `${round(value / 1000)} k` : String(round(value));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

const WIDTH = 960;
const CHART_HEIGHT = 240;
export const COLORS = {
  stampede: "#0b6e99",
  peer: "#d9730d",
  outbox: "#9a6ea8",
  ceiling: "#7a7a7a",
} as const;

/** One self-contained SVG: charts one below the other. */
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

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
