import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Arena } from "../ingest/arena.ts";
import type { Counters } from "../kit/meter.ts";
import { middle } from "../kit/timeline.ts";
import { startWhole } from "../rewards/whole-installation.ts";
import { type LoadPoint, measureIdle, measurePoint, type PointRates } from "./measure-point.ts";
import type { ScalingOptions } from "./options.ts";

/** A load before it is known what the machine carries. */
interface PlannedLoad extends Omit<LoadPoint, "eventsPerSecond"> {
  /** Of what the machine carries in closed loop; undefined: a closed loop. */
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
 * Costs are fitted to these: open loops of up to two thirds of what the machine carries just now, where plans are made for, and
 * closed loops with other request sizes than those that are predicted. Where there is little to do an event costs more (a core
 * that went idle wakes up cold): a tenth of the load alone predicted three quarters of what the machine then did.
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

/** Enough to go the whole path: an open loop of each kind of installation, and a closed one. */
function fewerOf(points: readonly PlannedLoad[]): readonly PlannedLoad[] {
  return [false, true].flatMap((matched) => points.filter((one) => one.matched === matched).slice(-1));
}

/** What is predicted from the others: closed loop, as the canonical benchmark measures. */
const PREDICTED: readonly PlannedLoad[] = [
  closedLoop(false, 1, 1024),
  closedLoop(false, 50, 64),
  closedLoop(false, 500, 16),
  closedLoop(true, 500, 16),
];

/** All that was measured for the costs, and what they are to predict. */
export interface CostMeasurements {
  readonly idle: { readonly plain: Counters; readonly matched: Counters };
  readonly fitted: readonly PointRates[];
  readonly predicted: readonly PointRates[];
  /** Milliseconds of one synced write where both servers keep their data. */
  readonly syncMs: number;
  readonly faults: readonly string[];
}

/** Events a second to prepare requests for before anything is known. */
const FIRST_GUESS = 50_000;
const MATCHED_GUESS = 26_000;
const SMALL_GUESS = 30_000;

/**
 * The whole of Stampede, first where nothing matches, then where one in ten purchases does, each under loads that it can
 * carry and under as much as it takes.
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
  /** Events a second so far, by name: what payments of a closed loop keep pace with. One without takes the fastest. */
  const known = new Map<string, number>();
  /**
   * In closed loop, by the run that compiles what is hot: a machine that is slow today must not be asked for more than it
   * carries, or messages and batches are full at every load, and no fit can tell what each of them costs.
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
  // Compiles what is hot: a process that has just begun costs more.
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

/** Milliseconds that appending 8 KiB to a file and syncing it take there, the median. */
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
