import type { Arena } from "../arena.ts";
import type { Counters } from "./counter-series.ts";
import { startWhole } from "./installation.ts";
import { FITTED, fewerOf, type LoadPoint, PREDICTED } from "./load-points.ts";
import { measureIdle, measurePoint, type PointRates } from "./measure-point.ts";
import { measureSync } from "./measure-sync.ts";
import type { ScalingOptions } from "./options.ts";

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
export async function measureCosts(arena: Arena, options: ScalingOptions): Promise<CostMeasurements> {
  const syncMs = await measureSync(arena.servers.dir);
  const plain = await measureInstallation(arena, options, false);
  const matched = await measureInstallation(arena, options, true);
  return {
    idle: { plain: plain.idle, matched: matched.idle },
    fitted: [...plain.fitted, ...matched.fitted],
    predicted: [...plain.predicted, ...matched.predicted],
    syncMs,
    faults: [...plain.faults, ...matched.faults],
  };
}

async function measureInstallation(arena: Arena, options: ScalingOptions, matched: boolean) {
  const { seconds, warmUpSeconds, idleSeconds, abundance, fewer } = options;
  const whole = await startWhole(arena, matched);
  const kind = matched ? "matched" : "plain";
  let number = 0;
  const guess = (point: LoadPoint) =>
    abundance * (point.size < 10 ? SMALL_GUESS : matched ? MATCHED_GUESS : FIRST_GUESS);
  /** Events a second so far, by name: what payments of a closed loop keep pace with. One without takes the fastest. */
  const known = new Map<string, number>();
  const measure = async (point: LoadPoint, factor = 1) => {
    arena.say(point.name);
    const scaled =
      point.eventsPerSecond === undefined
        ? point
        : { ...point, eventsPerSecond: point.eventsPerSecond * abundance };
    const timing = { seconds: seconds * factor, warmUpSeconds: warmUpSeconds * factor };
    const pace = known.get(point.name) ?? (Math.max(0, ...known.values()) || guess(point));
    const rates = await measurePoint(arena, whole, scaled, {
      ...{ ...timing, prepared: guess(point), pace, number: ++number },
    });
    known.set(point.name, rates.drivers.events);
    return rates;
  };
  const own = (points: readonly LoadPoint[]) =>
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
