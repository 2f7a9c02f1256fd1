import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Column } from "../../src/live/live-answer.ts";
import { chartData, WINDOW_MS } from "./live-series.ts";

interface ChartProps {
  /** The chart in words, for screen readers. */
  readonly label: string;
  /** The times of the samples, in milliseconds since 1970, and their values. */
  readonly at: readonly number[];
  readonly column: Column;
  /** The chosen sample; undefined: none. */
  readonly pointed: number | undefined;
  /** Called with the time under the mouse, in milliseconds since 1970; undefined when the mouse has left. */
  readonly onPoint: (at: number | undefined) => void;
}

const HEIGHT = 44;
/** Room above the highest value. */
const HEADROOM = 1.15;

/** A line over the last quarter of an hour, from 0 to its highest value. It moves with every sample. */
export function Chart({ label, at, column, pointed, onPoint }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const point = useRef(onPoint);
  point.current = onPoint;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const drawn = new uPlot(optionsFor(element.clientWidth), [[], []], element);
    plot.current = drawn;
    const move = ({ offsetX }: MouseEvent) => point.current(drawn.posToVal(offsetX, "x") * 1000);
    const leave = () => point.current(undefined);
    drawn.over.addEventListener("mousemove", move);
    drawn.over.addEventListener("mouseleave", leave);
    const sizes = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    const theme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => drawn.redraw(false);
    theme.addEventListener("change", repaint);
    return () => {
      theme.removeEventListener("change", repaint);
      sizes.disconnect();
      drawn.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(chartData(at, column)), [at, column]);
  useEffect(() => {
    const time = pointed === undefined ? undefined : at[pointed];
    const left = time === undefined ? undefined : plot.current?.valToPos(time / 1000, "x");
    plot.current?.setCursor(left === undefined ? AWAY : { left, top: 0 }, false);
  }, [at, pointed]);
  return <div class="live-chart" role="img" aria-label={label} ref={place} />;
}

/** Outside the plot, so that no cursor is drawn. */
const AWAY = { left: -10, top: -10 };

function optionsFor(width: number): uPlot.Options {
  const line = () => colour("--accent");
  return {
    width,
    height: HEIGHT,
    padding: [2, 2, 0, 0],
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    // All charts follow the mouse together, so none follows it by itself.
    cursor: {
      y: false,
      drag: { setScale: false, x: false, y: false },
      bind: { mousemove: () => null, mouseenter: () => null, mouseleave: () => null },
      points: { size: 5, stroke: line, fill: line },
    },
    scales: {
      x: { time: false, range: (_, __, last) => [(last ?? 0) - WINDOW_MS / 1000, last ?? 0] },
      y: { range: (_, __, highest) => [0, highest > 0 ? highest * HEADROOM : 1] },
    },
    series: [
      {},
      {
        stroke: line,
        fill: () => colour("--accent-soft"),
        width: 1.25,
        points: { size: 3, stroke: line, fill: line, filter: lonelyPoints },
      },
    ],
  };
}

/** A value between two unknown ones has no line, so it is drawn as a point. */
const lonelyPoints: uPlot.Series.Points.Filter = (self, series) => {
  const values = self.data[series] ?? [];
  const isThere = (i: number) => values[i] !== null && values[i] !== undefined;
  return [...values.keys()].filter((i) => isThere(i) && !isThere(i - 1) && !isThere(i + 1));
};

/** Read at each drawing, because it changes with light and dark. */
function colour(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}
