import { useState } from "preact/hooks";
import { type Column, Table } from "../parts/table.tsx";
import { type LiveSeries, type Minute, minutesOf } from "./live-series.ts";
import { clockText, countText, secondsText } from "./live-words.ts";

interface HopTableProps {
  readonly name: string;
  readonly unit: string;
  readonly waiting: string;
  readonly series: LiveSeries;
}

/** The charts of a hop as a table, made only for those who open it. */
export function HopTable({ name, unit, waiting, series }: HopTableProps) {
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
