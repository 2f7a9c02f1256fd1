import { alignTable } from "../text-table.ts";
import { FACTOR } from "./check-prediction.ts";
import { faultsOf, type ScalingResults } from "./results.ts";
import { costRows, limitRows, planRows, predictionRows } from "./tables.ts";

/** The whole report as text. */
export function writeScalingReport(results: ScalingResults): string {
  const faults = faultsOf(results, true);
  const verdict =
    faults.length === 0
      ? `verified: every prediction within a factor of ${FACTOR}, every transaction as it was answered`
      : `NOT VERIFIED:\n${faults.map((fault) => `  ${fault}`).join("\n")}`;
  const tables = [costRows(results), predictionRows(results), planRows(results), limitRows(results)];
  return `${[...tables.map((rows) => alignTable(rows)), verdict].join("\n\n")}\n`;
}
