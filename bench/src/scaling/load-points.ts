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

/**
 * Costs are fitted to these: loads of a third and two thirds of what two cores carry, where plans are made for, and closed
 * loops with other request sizes than those that are predicted. Where there is little to do an event costs more (a core
 * that went idle wakes up cold): a tenth of the load alone predicted three quarters of what the machine then did.
 */
export const FITTED: readonly LoadPoint[] = [
  open(false, 500, 12_000),
  open(false, 500, 26_000),
  open(false, 1, 1_500),
  open(false, 1, 4_000),
  closed(false, 200, 16),
  closed(false, 5, 512),
  open(false, 50, 22_000),
  open(true, 500, 12_000),
  closed(true, 100, 32),
  open(true, 50, 8_000),
];

/** Enough to go the whole path: an open loop of each kind of installation, and a closed one. */
export function fewerOf(points: readonly LoadPoint[]): readonly LoadPoint[] {
  return [false, true].flatMap((matched) => points.filter((one) => one.matched === matched).slice(-1));
}

/** What is predicted from the others: closed loop, as the canonical benchmark measures. */
export const PREDICTED: readonly LoadPoint[] = [
  closed(false, 1, 1024),
  closed(false, 50, 64),
  closed(false, 500, 16),
  closed(true, 500, 16),
];
