import { type CostModel, loadOf, microsOf, PART_NAMES, type PartCost, type PartName } from "./costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { Drivers, PointRates } from "./measure-point.ts";
import { checkPredictions } from "./results.ts";

/** Round numbers of the order of the measured costs. */
export function exampleCosts(): CostModel {
  const part = (micros: PartCost["micros"], mainShare = 1): PartCost => ({
    ...{ micros, mainShare, idleCores: 0.005, worstMiss: 0 },
  });
  return {
    edge: part({ event: 4, request: 60, message: 200 }, 0.85),
    "edge database": part({ request: 0 }),
    nats: part({ event: 2, message: 300, match: 20 }),
    ingest: part({ event: 12, batch: 800, match: 60 }, 0.45),
    "ingest database": part({ event: 12, batch: 500, match: 80 }),
    platform: part({ event: 4, batch: 300, match: 150 }, 0.7),
    "platform database": part({ batch: 60, match: 120 }),
    rewards: part({ event: 1, batch: 200, match: 120 }, 0.7),
    "rewards database": part({ event: 0.2, batch: 60, match: 90 }),
    webhooks: part({ match: 90 }, 0.8),
    "webhooks database": part({ match: 50 }),
    "database background": part({ event: 0.7, match: 10 }),
  };
}

/** A load whose consumption follows these costs. */
function examplePoint(costs: CostModel, drivers: Drivers): PointRates {
  const load = loadOf(drivers);
  const coresOf = (part: PartName) => microsOf(costs[part], load) / 1e6 + costs[part].idleCores;
  const cores = Object.fromEntries(PART_NAMES.map((part) => [part, coresOf(part)]));
  const mainCores = PART_NAMES.map((part) => [part, coresOf(part) * costs[part].mainShare] as const);
  return {
    name: `${drivers.events} events in ${drivers.requests} requests`,
    matched: drivers.matches > 0,
    size: drivers.events / drivers.requests,
    connections: 64,
    drivers,
    cores: { ...cores, generator: (drivers.requests * 100) / 1e6 },
    mainCores: Object.fromEntries(mainCores),
    rates: {},
    otherCores: 0,
    machineCores: 2,
    residentBytes: {},
    p50Ms: 0,
  };
}

const idleOf = (costs: CostModel) =>
  Object.fromEntries(PART_NAMES.map((part) => [part, costs[part].idleCores]));

/** Loads measured on a machine whose parts cost exactly this, and closed loops at its full speed. */
export function exampleMeasurements(costs: CostModel): CostMeasurements {
  const drivers = (
    events: number,
    size: number,
    messages: number,
    batches: number,
    matches = 0,
  ): Drivers => ({
    ...{ events, requests: events / size, messages, batches, matches },
  });
  const fitted = [
    drivers(10_000, 500, 40, 40),
    drivers(3_000, 500, 12, 12),
    drivers(8_000, 50, 250, 120),
    drivers(2_000, 50, 75, 60),
    drivers(2_000, 1, 400, 130),
    drivers(500, 1, 350, 90),
    drivers(5_000, 500, 20, 20, 400),
    drivers(3_000, 50, 110, 80, 240),
  ].map((one) => examplePoint(costs, one));
  const loop = (events: number) => examplePoint(costs, drivers(events, 500, events / 500, events / 750));
  // Costs are proportional, so that any rate says how many events keep both cores busy.
  const [{ predicted: events } = { predicted: 0 }] = checkPredictions(costs, [loop(30_000)]);
  const predicted = [loop(events)];
  const idle = idleOf(costs);
  return { idle: { plain: idle, matched: idle }, fitted, predicted, syncMs: 0.1, faults: [] };
}
