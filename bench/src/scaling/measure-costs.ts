import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Arena } from "../ingest/arena.ts";
import type { Counters } from "../kit/meter.ts";
import { middle } from "../kit/timeline.ts";
import { startWhole } from "../rewards/whole-installation.ts";
import { type LoadPoint, measureIdle, measurePoint, type PointRates } from "./measure-point.ts";
import type { ScalingOptions } from "./options.ts";

/** A load for a machine of unknown capacity. */
interface PlannedLoad extends Omit<LoadPoint, "eventsPerSecond"> {
  /** A share of the machine's rate in closed loop; undefined: a closed loop. */
  readonly share: number | undefined;
}

const openLoop = (matched: boolean, size: number, share: number): PlannedLoad => ({
  name: `${matched ? "matched" : "plain"} ${size} at ${Math.round(100 * share)} %`,
  matched,
  size,
  connections: 64,
  share,
});

const closedLoop = (matched: boolean, size: number, connections: number): PlannedLoad => ({
  name: `${matched ? "matched" : "plain"} ${size} at most`,
  matched,
  size,
  connections,
  share: undefined,
});

/**
 * The loads for fitting costs: open loops of up to two thirds of the machine's present rate, the range of
 * plans, and closed loops with other request sizes than the predicted ones. With little load an event costs
 * more (a core that went idle wakes up cold): a tenth of the load alone predicted three quarters of the
 * machine's result.
 */
const FITTED: readonly PlannedLoad[] = [
  openLoop(false, 500, 0.3),
  openLoop(false, 500, 0.6),
  openLoop(false, 1, 0.1),
  openLoop(false, 1, 0.3),
  closedLoop(false, 200, 16),
  closedLoop(false, 5, 512),
  openLoop(false, 50, 0.6),
  openLoop(true, 500, 0.5),
  closedLoop(true, 100, 32),
  openLoop(true, 50, 0.33),
];

/** Enough for the whole path: an open loop of each kind of installation, and a closed one. */
function fewerOf(points: readonly PlannedLoad[]): readonly PlannedLoad[] {
  return [false, true].flatMap((matched) => points.filter((one) => one.matched === matched).slice(-1));
}

/** The predicted loads: closed loop, like in the canonical benchmark. */
const PREDICTED: readonly PlannedLoad[] = [
  closedLoop(false, 1, 1024),
  closedLoop(false, 50, 64),
  closedLoop(false, 500, 16),
  closedLoop(true, 500, 16),
];

/** All measurements for the costs, and the results to predict. */
export interface CostMeasurements {
  readonly idle: { readonly plain: Counters; readonly matched: Counters };
  readonly fitted: readonly PointRates[];
  readonly predicted: readonly PointRates[];
  /** Milliseconds of one synced write where both servers keep their data. */
  readonly syncMs: number;
  readonly faults: readonly string[];
}

/** Events a second to prepare requests for before any measurement. */
const FIRST_GUESS = 50_000;
const MATCHED_GUESS = 26_000;
const SMALL_GUESS = 30_000;

/**
 * The whole of Stampede, first without matches, then with a match for one in ten purchases, each under loads
 * that it can carry and at full load.
 */
export async function measureCosts(arena: Arena<ScalingOptions>): Promise<CostMeasurements> {
  const syncMs = await measureSync(arena.servers.dir);
  const plain = await measureInstallation(arena, false);
  const matched = await measureInstallation(arena, true);
  return {
    idle: { plain: plain.idle, matched: matched.idle },
    fitted: [...plain.fitted, ...matched.fitted],
    predicted: [...plain.predicted, ...matched.predicted],
    syncMs,
    faults: [...plain.faults, ...matched.faults],
  };
}

async function measureInstallation(arena: Arena<ScalingOptions>, matched: boolean) {
  const { seconds, warmUpSeconds, idleSeconds, abundance, fewer } = arena.options;
  const whole = await startWhole(arena, matched);
  const kind = matched ? "matched" : "plain";
  let number = 0;
  const guess = (point: PlannedLoad) =>
    abundance * (point.size < 10 ? SMALL_GUESS : matched ? MATCHED_GUESS : FIRST_GUESS);
  /**
   * Events a second so far, by name: the pace for payments of a closed loop. A load without an entry takes
   * the fastest.
   */
  const known = new Map<string, number>();
  /**
   * From the closed-loop run that warms up: a machine that is slow today must not get more than it carries,
   * otherwise messages and batches are full at every load, and no fit can separate their costs.
   */
  const most = ({ size }: PlannedLoad) => known.get(closedLoop(matched, matched ? 500 : size, 1).name);
  const measure = async (point: PlannedLoad, factor = 1) => {
    arena.say(point.name);
    const { share, ...load } = point;
    const scaled = {
      ...load,
      eventsPerSecond: share && Math.round(share * (most(point) ?? guess(point) / 2)),
    };
    const timing = { seconds: seconds * factor, warmUpSeconds: warmUpSeconds * factor };
    const pace = known.get(point.name) ?? (Math.max(0, ...known.values()) || guess(point));
    const rates = await measurePoint(arena, whole, scaled, {
      ...{ ...timing, prepared: guess(point), pace, number: ++number },
    });
    known.set(point.name, rates.drivers.events);
    return rates;
  };
  const own = (points: readonly PlannedLoad[]) =>
    (fewer ? fewerOf(points) : points).filter((point) => point.matched === matched);
  const fitted: PointRates[] = [];
  const predicted: PointRates[] = [];
  // Warms up: a new process costs more.
  if (!fewer) for (const point of own(PREDICTED)) await measure(point, 0.5);
  arena.say(`${kind}, idle`);
  const idle = await measureIdle(arena, whole, idleSeconds);
  for (const point of own(FITTED)) fitted.push(await measure(point));
  for (const point of own(PREDICTED)) predicted.push(await measure(point));
  await whole.stop();
  const verdict = await arena.verifyAndDrop(whole.database);
  const faults = verdict.faults.map((fault) => `${kind}: ${fault}`);
  return { idle, fitted, predicted, faults };
}

const WRITES = 100;
const BYTES = Buffer.alloc(8 * 1024, 1);

/** The median milliseconds for appending 8 KiB to a file there and syncing it. */
async function measureSync(dir: string): Promise<number> {
  const path = join(dir, "sync-probe");
  const file = await open(path, "w");
  const spent: number[] = [];
  try {
    for (let write = 0; write < WRITES; write++) {
      const startedMs = performance.now();
      await file.write(BYTES);
      await file.datasync();
      spent.push(performance.now() - startedMs);
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return middle(spent);
}
