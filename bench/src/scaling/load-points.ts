/** One measured load on one installation. */
export interface LoadPoint {
  readonly name: string;
  /** Whether one in ten purchases is paid at a retailer, and every member enrolled. */
  readonly matched: boolean;
  readonly size: number;
  /** Of a closed loop: as fast as it goes. Otherwise the rate is given, and below what the machine can. */
  readonly connections: number;
  readonly eventsPerSecond: number | undefined;
}

const open = (matched: boolean, size: number, eventsPerSecond: number): LoadPoint => ({
  name: `${matched ? "matched" : "plain"} ${size} at ${eventsPerSecond}`,
  matched,
  size,
  connections: 64,
  eventsPerSecond,
});

const closed = (matched: boolean, size: number, connections: number): LoadPoint => ({
  name: `${matched ? "matched" : "plain"} ${size} at most`,
  matched,
  size,
  connections,
  eventsPerSecond: undefined,
});

/** Costs are fitted to these: rates that one core would do, so that nothing queues, with unlike numbers of everything. */
export const FITTED: readonly LoadPoint[] = [
  open(false, 500, 10_000),
  open(false, 500, 3_000),
  open(false, 1, 2_000),
  open(false, 1, 500),
  open(false, 50, 2_000),
  open(false, 50, 8_000),
  open(true, 500, 5_000),
  open(true, 50, 3_000),
];

/** Enough to go the whole path: an open loop of each kind of installation, and a closed one. */
export function fewerOf(points: readonly LoadPoint[]): readonly LoadPoint[] {
  return [false, true].flatMap((matched) => points.filter((one) => one.matched === matched).slice(-1));
}

/** What is predicted from the others: closed loop, as the canonical benchmark measures. */
export const PREDICTED: readonly LoadPoint[] = [
  closed(false, 1, 256),
  closed(false, 50, 64),
  closed(false, 500, 16),
  closed(true, 500, 16),
];
