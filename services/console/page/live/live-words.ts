import type { Column, LiveHop, LiveState } from "../../src/live/live-answer.ts";

/** Writes a number that may be unknown. */
export type Format = (value: number | null) => string;

/** An unknown number is never written as 0. */
const UNKNOWN = "–";

/** `< 0.1`, `0.4`, `12`, `1,234`, `12.3k`, `1.2M`. */
export const countText: Format = (value) => {
  if (value === null) return UNKNOWN;
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)}M`;
  if (value >= 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (value > 0 && value < 0.05) return "< 0.1";
  if (value >= 10 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return value.toFixed(1);
};

/** `0.4 ms`, `12 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`. */
export const secondsText: Format = (value) => {
  if (value === null) return UNKNOWN;
  if (value === 0) return "0 s";
  if (value < 0.0095) return `${(value * 1000).toFixed(1)} ms`;
  if (value < 0.9995) return `${Math.round(value * 1000)} ms`;
  if (value < 59.95) return `${value.toFixed(1)} s`;
  const seconds = Math.round(value);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
};

/** `12 %`; less than one is `< 1 %`. */
export const shareText: Format = (value) => {
  if (value === null) return UNKNOWN;
  return value > 0 && value < 0.01 ? "< 1 %" : `${Math.floor(value * 100)} %`;
};

const CLOCK = new Intl.DateTimeFormat("sv-SE", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `14:02:07`, in the browser's zone. @param at milliseconds since 1970 */
export function clockText(at: number): string {
  return CLOCK.format(at);
}

/** `0–3, 7`. */
export function partitionsText(partitions: readonly number[]): string {
  const runs: Array<[first: number, last: number]> = [];
  for (const partition of partitions) {
    const run = runs.at(-1);
    if (run !== undefined && partition === run[1] + 1) run[1] = partition;
    else runs.push([partition, partition]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

/** A chart in words: `now 120, from 0 to 400 in the last 15 minutes`. */
export function chartText(column: Column, format: Format): string {
  const known = column.filter((value) => value !== null);
  if (known.length === 0) return "not known in the last 15 minutes";
  const range = `from ${format(Math.min(...known))} to ${format(Math.max(...known))} in the last 15 minutes`;
  const now = column.at(-1) ?? null;
  return `${now === null ? "not known now" : `now ${format(now)}`}, ${range}`;
}

/** The state in one sentence, which screen readers read when it changes: so it has no number that changes all the time. */
export function stateText({ hops, silent, streamsProblem }: LiveState): string {
  const asked = hops.filter(({ state }) => state !== "not asked");
  const wrong = asked.filter(({ state }) => state !== "ready").map(hopText);
  const problems = [
    ...wrong,
    ...(silent.length > 0 && wrong.length === 0 ? [addressesText(silent.length)] : []),
    ...(streamsProblem === null ? [] : ["the streams cannot be read"]),
  ];
  if (problems.length > 0) return `${problems.join("; ")}.`;
  const others = asked.length < hops.length ? `; ${hops.length - asked.length} not asked` : "";
  return `${asked.length === hops.length ? "All hops are" : `${asked.map(({ name }) => name).join(", ")}:`} ready${others}.`;
}

function hopText({ name, state, notes }: LiveHop): string {
  if (state === "down") return `${name} is down`;
  return `${name} is not ready${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

function addressesText(count: number): string {
  return count === 1 ? "an address does not answer" : `${count} addresses do not answer`;
}
