import { Arena } from "../ingest/arena.ts";
import type { Benchmark } from "../kit/benchmark.ts";
import { alignTable } from "../kit/report.ts";
import { measureCosts } from "./measure-costs.ts";
import { SCALING_OPTIONS, type ScalingOptions } from "./options.ts";
import { FACTOR, resultsOf, type ScalingResults } from "./results.ts";
import { newestRecord, SCALING_DOC, writeScalingDoc } from "./scaling-doc.ts";
import { boundRows, costRows, planRows, predictionRows } from "./tables.ts";

/**
 * The measured costs of every hop; their prediction for this machine, compared with its results; the needs of
 * larger rates.
 */
export const BENCH_SCALING: Benchmark<ScalingOptions, ScalingResults> = {
  arguments: SCALING_OPTIONS,
  instead({ docOnly }, say) {
    if (!docOnly) return false;
    writeScalingDoc(newestRecord());
    say(`${SCALING_DOC} has the numbers of the newest record`);
    return true;
  },
  // The arena is that of the benchmark of ingestion, which provides the load.
  measure: async (setting) => resultsOf(await measureCosts(await Arena.open(setting))),
  report: (results) =>
    [costRows(results), predictionRows(results), planRows(results), boundRows(results)].map(alignTable),
  /** The complete measurements, from which everything else follows: they are read back. */
  record: ({ measured, predictions }) => ({
    measured,
    check: { factor: FACTOR, points: predictions },
  }),
  /** Six digits say more than was measured. */
  round: (value) => Number(value.toPrecision(6)),
  verdict({ measured, predictions }, { fewer }) {
    const missed = predictions.filter(({ holds }) => !holds);
    const faults = missed.map(({ name, ratio }) => `${name}: predicted is ${ratio.toFixed(2)} × measured`);
    return {
      faults: [...measured.faults, ...faults],
      holds: `every prediction within a factor of ${FACTOR}, every transaction as it was answered`,
      // On a machine that also runs tests, a second or less says nothing about its speed.
      isFailure: measured.faults.length > 0 || (!fewer && missed.length > 0),
    };
  },
};
