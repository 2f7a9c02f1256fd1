import { thousands } from "../kit/report.ts";
import { DRIVERS, PART_NAMES, type PartName } from "./costs.ts";
import type { PointRates } from "./measure-point.ts";
import { type Plan, rateAt, TERMS } from "./plan.ts";
import type { ScalingResults } from "./results.ts";

/** A table: its head, then its rows. */
export type Rows = string[][];

/** CPU microseconds by part and driver. */
export function costRows({ costs }: ScalingResults): Rows {
  const rows = PART_NAMES.map((part) => {
    const { micros, mainShare, idleCores, worstMiss } = costs[part];
    const cells = DRIVERS.map((driver) => (micros[driver] === undefined ? "" : digits(micros[driver])));
    return [part, ...cells, isNode(part) ? percent(mainShare) : "", percent(idleCores), percent(worstMiss)];
  });
  const inAll = DRIVERS.map((driver) =>
    digits(PART_NAMES.reduce((sum, part) => sum + (costs[part].micros[driver] ?? 0), 0)),
  );
  return [
    ["CPU µs", ...DRIVERS.map((driver) => `each ${driver}`), "main thread", "idle, of a core", "worst miss"],
    ...rows,
    ["in all", ...inAll, "", "", ""],
  ];
}

function isNode(part: PartName): boolean {
  return !/database|nats/.test(part);
}

/** Closed loops that were not used for the fit, predicted and measured. */
export function predictionRows({ predictions, measured }: ScalingResults): Rows {
  const rows = predictions.map(({ name, ratio, holds, ...one }, at) => {
    const { drivers, cores, otherCores, p50Ms } = measured.predicted[at] as PointRates;
    const busy = Object.values(cores).reduce((sum, value) => sum + value, 0);
    return [
      name,
      thousands(one.measured),
      thousands(one.predicted),
      ratio.toFixed(2),
      holds ? "holds" : "MISSED",
      digits(p50Ms),
      `${digits(drivers.events / drivers.messages)}, ${digits(drivers.events / drivers.batches)}`,
      `${busy.toFixed(2)}, ${otherCores.toFixed(2)}`,
    ];
  });
  return [
    [
      ...["closed loop", "events/s", "predicted", "ratio", "", "p50 ms", "events a message, a batch"],
      "cores busy, taken by others",
    ],
    ...rows,
  ];
}

/** Bytes that an event takes on each way, by their counters: as NATS, PostgreSQL and the kernel count them. */
const VOLUMES: ReadonlyArray<readonly [what: string, counter: string]> = [
  // Packed messages; about as large as the request.
  ["edge → NATS", "from.edge"],
  ["NATS → ingest", "to.ingest"],
  // Records and settlements.
  ["ingest → NATS", "from.ingest"],
  ["NATS → platform", "to.platform"],
  ["NATS → rewards", "to.rewards"],
  ["write-ahead log", "wal.bytes"],
  ["PostgreSQL → disk, all", "written.database"],
  ["NATS → disk", "written.nats"],
];

/**
 * From the closed loops with requests of 500: they have most events, and the settings of the canonical
 * benchmark.
 */
export function volumeRows({ measured: { predicted } }: ScalingResults): Rows {
  const points = [false, true].map(
    (matched) => predicted.find((one) => one.matched === matched && one.size === 500) as PointRates,
  );
  const rows = VOLUMES.map(([what, counter]) => [
    what,
    ...points.map(({ rates, drivers }) => digits((rates[counter] ?? 0) / drivers.events)),
  ]);
  return [["bytes an event", "nothing matches", "with matches"], ...rows];
}

/** The largest resident set of each process under full load, as a sentence. */
export function memorySentence({ measured }: ScalingResults): string {
  const names = Object.keys(measured.predicted[0]?.residentBytes ?? {});
  const largest = (name: string) =>
    Math.max(...measured.predicted.map((one) => one.residentBytes[name] ?? 0));
  const each = names.map((name) => `${name} ${digits(largest(name) / 2 ** 20)}`);
  return `Memory, the largest resident set under full load, MiB: ${each.join(", ")}.`;
}

/** The needs of each rate. */
export function planRows({ plans }: ScalingResults): Rows {
  const row = (name: string, value: (plan: Plan) => string) => [
    name,
    ...plans.map(({ each }) => value(each)),
  ];
  const { natsCores, databaseCores, partitions } = TERMS;
  return [
    ["", ...plans.map(({ eventsPerSecond }) => `${thousands(eventsPerSecond)}/s`)],
    ["installations", ...plans.map(({ installations }) => String(installations))],
    row("events/s of each", ({ eventsPerSecond }) => thousands(eventsPerSecond)),
    row(`edge, ingest processes (${partitions} partitions)`, ({ edges, ingests }) => `${edges}, ${ingests}`),
    row(
      "platform, rewards, webhooks processes",
      ({ platforms, rewards, webhooks }) => `${platforms}, ${rewards}, ${webhooks}`,
    ),
    row("messages/s, events a message", ({ eventsPerSecond, messagesPerSecond }) =>
      perSecond(eventsPerSecond, messagesPerSecond),
    ),
    row("batches/s, events a batch", ({ eventsPerSecond, batchesPerSecond }) =>
      perSecond(eventsPerSecond, batchesPerSecond),
    ),
    row(`NATS: cores busy, nodes of ${natsCores}`, (plan) => `${digits(plan.natsCores)}, ${plan.natsNodes}`),
    row(`PostgreSQL: cores busy, of ${databaseCores}`, (plan) => digits(plan.databaseCores)),
    row("the platform's PostgreSQL: cores busy", (plan) => digits(plan.platformDatabaseCores)),
  ];
}

function perSecond(events: number, parts: number): string {
  return `${thousands(parts)}, ${digits(events / parts)}`;
}

/**
 * The limits of one installation: the share of each bound that its part of the largest rate uses, and the
 * rate at which it is reached.
 */
export function boundRows({ costs, plans }: ScalingResults): Rows {
  const { each } = plans.at(-1) as ScalingResults["plans"][number];
  const reached = (name: string, share: number): string => {
    const rate = rateAt(costs, name, share);
    return rate === undefined ? "not in sight" : thousands(rate);
  };
  const { busy } = TERMS;
  const head = [
    `used at ${thousands(each.eventsPerSecond)}/s`,
    `${percent(busy)} at events/s`,
    "all at events/s",
  ];
  const rows = each.bounds.map(({ name, used }) => [
    name,
    percent(used),
    reached(name, busy),
    reached(name, 1),
  ]);
  return [["bound of one installation", ...head], ...rows];
}

/** Three of them, as people read them. */
function digits(value: number): string {
  if (value >= 1000) return thousands(value);
  return value === 0 ? "0" : String(Number(value.toPrecision(value >= 100 ? 3 : 2)));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
