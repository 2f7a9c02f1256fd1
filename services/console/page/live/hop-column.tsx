import { useState } from "preact/hooks";
import type {
  HopNumbers,
  LiveHop,
  LiveHopState,
  LiveProcess,
  LiveStream,
} from "../../src/live/live-answer.ts";
import { Badge, type BadgeKind } from "../parts/badge.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Chart } from "./chart.tsx";
import { columnOf, type LiveSeries, type Minute, minutesOf } from "./live-series.ts";
import {
  chartText,
  clockText,
  countText,
  type Format,
  partitionsText,
  secondsText,
  shareText,
} from "./live-words.ts";

/** Shared by all charts of the page. */
interface Pointing {
  /** The chosen sample; undefined: the newest. */
  readonly pointed: number | undefined;
  readonly onPoint: (at: number | undefined) => void;
}

interface HopColumnProps extends Pointing {
  readonly hop: LiveHop;
  readonly series: LiveSeries;
}

const BADGES: Readonly<Record<LiveHopState, BadgeKind>> = {
  ready: "good",
  "not ready": "bad",
  down: "bad",
  "not asked": "plain",
};

/** One hop of the pipeline: its state, charts, streams and processes. */
export function HopColumn(props: HopColumnProps) {
  const { hop, series } = props;
  const { name, state, notes, unit, waiting, streams, replays, processes } = hop;
  const heading = `hop-${name}`;
  return (
    <section class={`hop hop-${state.replace(" ", "-")}`} aria-labelledby={heading}>
      <div class="hop-head">
        <h2 id={heading}>{name}</h2>
        <Badge kind={BADGES[state]}>{state}</Badge>
      </div>
      {state !== "not asked" && (
        <>
          <Measures {...props} />
          {notes.length > 0 && (
            <ul class="hop-notes">
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
          <p class="hop-errors">
            <span class="quiet">errors/s</span> <b>{countText(hop.errorsPerSecond)}</b>
          </p>
          {streams.length > 0 && <Streams streams={streams} />}
          {replays.length > 0 && (
            <ul class="hop-replays">
              {replays.map((replay) => (
                <li key={replay}>{replay}</li>
              ))}
            </ul>
          )}
          <Processes processes={processes} unowned={hop.unowned} />
          <HopTable name={name} unit={unit} waiting={waiting} series={series} />
        </>
      )}
    </section>
  );
}

/** The charts of a hop. At the edge no waiting message has an age; its fourth chart counts refused requests. */
function Measures({ hop, series, ...pointing }: HopColumnProps) {
  const { name, unit, waiting, timed } = hop;
  const charted = (number: keyof HopNumbers, what: string, format: Format, title?: string) => ({
    name: what,
    title,
    label: `${name}, ${what}`,
    at: series.at,
    column: columnOf(series, name, number),
    format,
    ...pointing,
  });
  const refused = {
    ...charted("lag", "503s/s", countText, "requests of which nothing was accepted"),
    column: series.refusedPerSecond,
  };
  return (
    <div class="measures">
      <Measure {...charted("perSecond", `${unit}/s`, countText)} />
      <Measure {...charted("p99Seconds", "p99", secondsText, timed)} />
      <Measure {...charted("lag", `${waiting} waiting`, countText)} />
      <Measure {...(name === "edge" ? refused : charted("oldestSeconds", "oldest waiting", secondsText))} />
    </div>
  );
}

interface MeasureProps extends Pointing {
  readonly name: string;
  /** Says exactly what is measured. */
  readonly title?: string | undefined;
  readonly label: string;
  readonly at: readonly number[];
  readonly column: readonly (number | null)[];
  readonly format: Format;
}

/** A number of the chosen sample, with its chart. */
function Measure({ name, title, label, at, column, format, pointed, onPoint }: MeasureProps) {
  const value = (pointed === undefined ? column.at(-1) : column[pointed]) ?? null;
  // The chart's upper end.
  const peak = format(Math.max(0, ...column.map((one) => one ?? 0)));
  const shown = format(value);
  return (
    <div class="measure">
      <div class="measure-head">
        <span class="quiet" title={title}>
          {name}
        </span>
        <span class="quiet measure-peak">{peak !== format(0) && peak !== shown && `up to ${peak}`}</span>
        <b>{shown}</b>
      </div>
      <Chart
        label={`${label}${title === undefined ? "" : ` (${title})`}: ${chartText(column, format)}`}
        at={at}
        column={column}
        pointed={pointed}
        onPoint={onPoint}
      />
    </div>
  );
}

/** The streams that are shown at once: the fullest. */
const SHOWN = 4;

function Streams({ streams }: { readonly streams: readonly LiveStream[] }) {
  const fullest = [...streams].sort((a, b) => (b.fill ?? 2) - (a.fill ?? 2));
  const others = fullest.slice(SHOWN);
  const list = (shown: readonly LiveStream[]) => (
    <ul class="streams">
      {shown.map(({ name, fill, missing }) => (
        <li key={name}>
          <code>{name}</code>
          {fill === null ? (
            <span />
          ) : (
            <meter
              min={0}
              max={1}
              low={0.5}
              high={0.8}
              optimum={0}
              value={fill}
              aria-label={`${name}, how full`}
            />
          )}
          <b>{missing ? "missing" : shareText(fill)}</b>
        </li>
      ))}
    </ul>
  );
  return (
    <div class="hop-part">
      <h3>Streams, how full</h3>
      {list(fullest.slice(0, SHOWN))}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          {list(others)}
        </details>
      )}
    </div>
  );
}

interface ProcessesProps {
  readonly processes: readonly LiveProcess[];
  readonly unowned: number;
}

function Processes({ processes, unowned }: ProcessesProps) {
  return (
    <div class="hop-part">
      <h3>Processes</h3>
      <ul class="processes">
        {processes.map(({ id, state, partitions }) => (
          <li key={id}>
            <code>{id}</code>
            {state !== "ready" && <Badge kind="bad">{state}</Badge>}
            {partitions.length > 0 && <span class="quiet">partitions {partitionsText(partitions)}</span>}
          </li>
        ))}
        {processes.length === 0 && <li class="quiet">none answers</li>}
        {unowned > 0 && <li class="quiet">{unowned} without a reader</li>}
      </ul>
    </div>
  );
}

interface HopTableProps {
  readonly name: string;
  readonly unit: string;
  readonly waiting: string;
  readonly series: LiveSeries;
}

/** The charts of a hop as a table, rendered only when it is opened. */
function HopTable({ name, unit, waiting, series }: HopTableProps) {
  const [isOpen, setOpen] = useState(false);
  const columns: Column<Minute>[] = [
    { title: "Minute", cell: ({ at }) => clockText(at).slice(0, -3) },
    { title: "Rate", isNumber: true, cell: ({ perSecond }) => countText(perSecond) },
    { title: "p99", isNumber: true, cell: ({ p99Seconds }) => secondsText(p99Seconds) },
    { title: "Waiting", isNumber: true, cell: ({ lag }) => countText(lag) },
    { title: "Oldest", isNumber: true, cell: ({ oldestSeconds }) => secondsText(oldestSeconds) },
  ];
  return (
    <details class="hop-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <Table
          caption={`${name}, by minute: ${unit} a second on average; the worst p99, ${waiting} waiting, and age of the oldest`}
          columns={columns}
          rows={minutesOf(series, name)}
          keyOf={({ at }) => at}
        />
      )}
    </details>
  );
}
