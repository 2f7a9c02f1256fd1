import {
  describeReplay,
  differingKeys,
  type HopStatus,
  type Observation,
  type ReadySource,
  type ReplayStatus,
} from "#status";

/** The whole status at one moment. */
export interface Status {
  readonly ready: boolean;
  readonly at: string;
  readonly hops: readonly HopStatus[];
  /** How far back the streams can be read again, and what is read again now. */
  readonly replays: readonly ReplayStatus[];
  /** Everything that is not as it should be, one line each. */
  readonly faults: readonly string[];
}

const HEAD = ["hop", "state", "rate", "lag", "oldest", "errors", "owners"] as const;
const GAP = "  ";

/** A line for each hop, for what its streams keep, and for each fault. */
export function statusLines({ ready, at, hops, replays, faults }: Status): string[] {
  const rows = [HEAD, ...hops.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  const kept = replays.flatMap(describeReplay);
  return [
    `${at}  ${ready ? "ready" : "NOT READY"}`,
    "",
    ...lines,
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

/** What the addresses say that they are not content with. */
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
