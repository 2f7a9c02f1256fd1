import { median } from "../results.ts";
import { least, most, ratio, type TargetResult } from "../targets.ts";
import type { RewardsResults } from "./results.ts";

/** Those of two cores; ratios of one run hold on any machine. */
export function judgeRewards({ engine, hot, platform, pipeline }: RewardsResults): TargetResult[] {
  const middle = (values: readonly number[] | undefined) => values && median(values, (value) => value);
  return [
    least("engine: outcomes from a full stream", engine?.outcomes.perSecond, 10_000, "outcomes/s"),
    least("engine: settlements, one in ten earned", engine?.mixed.perSecond, 20_000, "settlements/s"),
    most("one hot member: time of the others' outcomes", slowdown(hot, "hot-member"), 1.25),
    most("one program for all: time of the outcomes", slowdown(hot, "hot-program"), 1.25),
    least("platform: records, one in ten routable", platform?.records.perSecond, 30_000, "records/s"),
    least("platform: payments that find their record", platform?.payments.perSecond, 5_000, "payments/s"),
    least(
      "ingest with the platform and rewards beside it, against alone",
      ratio(middle(pipeline?.beside), middle(pipeline?.without)),
      0.9,
      "×",
    ),
  ];
}

function slowdown(hot: RewardsResults["hot"], shape: "hot-member" | "hot-program"): number | undefined {
  return ratio(hot?.seconds[shape], hot?.seconds.even);
}
