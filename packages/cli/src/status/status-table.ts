import {
  describeReplay,
  differingKeys,
  type HopStatus,
  type Observation,
  type ReadySource,
  type ReplayStatus,
} from "#status";
import { textTable } from "../terminal.ts";

/** The whole status at one moment. */
export interface Status {
  readonly ready: boolean;
  readonly at: string;
  readonly hops: readonly HopStatus[];
  /** How far back the streams can be read again, and which are being read again now. */
  readonly replays: readonly ReplayStatus[];
  /** One line each. */
  readonly faults: readonly string[];
}

const HEAD = ["hop", "state", "rate", "lag", "oldest", "errors", "owners"];

/** A line for each hop, for each stream's replay window, and for each fault. */
export function statusLines({ ready, at, hops, replays, faults }: Status): string[] {
  const kept = replays.flatMap(describeReplay);
  return [
    `${at}  ${ready ? "ready" : "NOT READY"}`,
    "",
    ...textTable([HEAD, ...hops.map(cellsOf)]),
    ...(kept.length > 0 ? ["", ...kept] : []),
    ...faults.map((fault) => `! ${fault}`),
  ];
}

function cellsOf(status: HopStatus): string[] {
  const { hop, state, owners, notes } = status;
  if (state === "down" || state === "not asked") return [hop, state, "-", "-", "-", "-", notes.join("; ")];
  return [
    hop,
    state,
    `${decimal(status.rate)} ${status.unit}/s`,
    `${status.lag} ${status.waiting}`,
    status.oldestSeconds === undefined ? "-" : `${decimal(status.oldestSeconds)} s`,
    `${decimal(status.errors)}/s`,
    [...owners, ...notes].join("; "),
  ];
}

function decimal(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}

/** Addresses that do not answer, hops and processes that are not ready, and keys that differ. */
export function faultsOf(now: Observation<ReadySource>, hops: readonly HopStatus[]): string[] {
  const silent = now.silent.map(({ url, reason }) => `${url} does not answer (${reason})`);
  const failing = now.sources
    .filter(({ readiness }) => !readiness.ready)
    .flatMap(({ url, readiness }) => {
      const wrong = Object.entries(readiness.checks).filter(([, { ok }]) => !ok);
      return wrong.map(([name, { detail }]) => `${new URL(url).host}: ${name}: ${detail}`);
    });
  const notReady = hops
    .filter(({ state }) => state === "down" || state === "not ready")
    .map(
      ({ hop, state, notes }) => `${hop} is ${state}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`,
    );
  return [...silent, ...notReady, ...failing, ...differingKeys(now.sources)];
}
