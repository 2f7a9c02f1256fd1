import t from "tap";
import { type CostModel, DRIVERS, type Driver, fitCosts, PART_NAMES, PARTS, type PartName } from "./costs.ts";
import { checkPredictions, FACTOR } from "./results.ts";
import { newestRecord, readScalingDoc, withNumbers } from "./scaling-doc.ts";
import { exampleCosts, exampleMeasurements } from "./test-measurements.ts";

/** The same costs, some of them a multiple. */
function multiplied(
  costs: CostModel,
  factor: number,
  parts: readonly PartName[],
  drivers: readonly Driver[] = DRIVERS,
): CostModel {
  const changed = parts.map((part) => {
    const { micros, ...rest } = costs[part];
    const all = Object.entries(micros).map(([driver, value]) => {
      return [driver, drivers.includes(driver as Driver) ? value * factor : value];
    });
    return [part, { ...rest, micros: Object.fromEntries(all) }];
  });
  return { ...costs, ...Object.fromEntries(changed) };
}

t.test("costs - a machine that follows the model is fitted exactly", async (t) => {
  const costs = exampleCosts();
  const fitted = fitCosts(exampleMeasurements(costs));
  for (const part of PART_NAMES) {
    for (const driver of PARTS[part]) {
      const [is, was] = [fitted[part].micros[driver] ?? 0, costs[part].micros[driver] ?? 0];
      t.ok(Math.abs(is - was) <= 0.01 * was + 0.01, `${part}, each ${driver}: ${is} for ${was}`);
    }
    t.ok(fitted[part].worstMiss < 1e-3, `${part}: misses nothing`);
  }
});

t.test("prediction - right costs predict the result, and a doubled cost does not", async (t) => {
  const costs = exampleCosts();
  const { predicted } = exampleMeasurements(costs);
  const holds = (of: CostModel) => checkPredictions(of, predicted).every((one) => one.holds);
  t.ok(holds(costs));
  t.notOk(
    holds(multiplied(costs, 2, ["ingest", "ingest database"], ["event"])),
    "ingestion's event twice as dear",
  );
  t.notOk(holds(multiplied(costs, 0.5, PART_NAMES)), "everything half as dear");
});

t.test("record - the newest predicts itself, and not with an event's ingestion twice as dear", async (t) => {
  const { measured } = newestRecord();
  const costs = fitCosts(measured);
  t.equal(measured.predicted.length, 4);
  for (const { name, ratio, holds } of checkPredictions(costs, measured.predicted)) {
    t.ok(holds, `${name}: ${ratio.toFixed(2)} is within ${FACTOR}`);
  }
  const dear = multiplied(costs, 2, ["ingest", "ingest database"], ["event"]);
  t.notOk(checkPredictions(dear, measured.predicted).every(({ holds }) => holds));
});

t.test("record - the numbers of docs/scaling.md are those of the newest one", async (t) => {
  const text = readScalingDoc();
  t.equal(text, withNumbers(text, newestRecord()), "`npm run bench -- scaling --doc` writes them");
});
