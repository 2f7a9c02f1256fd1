import { Arena } from "../ingest/arena.ts";
import type { Benchmark } from "../kit/benchmark.ts";
import { describeProcesses } from "../kit/record.ts";
import { faultsOf, least, memory, mib, most, ratio, tableOf, thousands } from "../kit/report.ts";
import { middle } from "../kit/timeline.ts";
import type { Usage } from "../kit/usage.ts";
import { type MatchCost, totalOf } from "./match-costs.ts";
import { type Engine, type Hot, measureEngine, measureHot, type Phase } from "./measure-engine.ts";
import { measurePipeline, type Pipeline } from "./measure-pipeline.ts";
import { measurePlatform, type Platform } from "./measure-platform.ts";
import { REWARDS_OPTIONS, type RewardsOptions } from "./options.ts";
import { SHAPES, type Shape } from "./reward-plan.ts";

/** Each part, if it was measured. */
interface RewardsResults {
  readonly engine: Engine | undefined;
  readonly hot: Hot | undefined;
  readonly platform: Platform | undefined;
  readonly pipeline: Pipeline | undefined;
}

/**
 * The benchmark of the platform and of the reward engine, each from a full stream, and of ingest running with
 * them.
 */
export const BENCH_REWARDS: Benchmark<RewardsOptions, RewardsResults> = {
  arguments: REWARDS_OPTIONS,
  async measure(setting) {
    const { parts } = setting.options;
    const arena = await Arena.open(setting);
    return {
      engine: parts.includes("engine") ? await measureEngine(arena) : undefined,
      hot: parts.includes("hot") ? await measureHot(arena) : undefined,
      platform: parts.includes("platform") ? await measurePlatform(arena) : undefined,
      pipeline: parts.includes("pipeline") ? await measurePipeline(arena) : undefined,
    };
  },
  judge,
  report: (results) => [paceTable(results), hotTable(results), pipelineTable(results)],
  record,
  verdict: (results) => ({
    faults: faultsOf(results),
    parts: Object.entries(results).flatMap(([part, measured]) => (measured === undefined ? [] : [part])),
    holds:
      "stamps, redemptions, cashbacks, events, pairs and outcomes are as many as must come of what was sent",
  }),
};

/** Those of two cores; ratios of one run hold on any machine. */
function judge({ engine, hot, platform, pipeline }: RewardsResults) {
  const slowdown = (shape: Shape) => ratio(hot?.seconds[shape], hot?.seconds.even);
  const beside = pipeline && ratio(middle(pipeline.beside), middle(pipeline.without));
  return [
    least("engine: outcomes from a full stream", engine?.outcomes.perSecond, 18_000, "outcomes/s"),
    least("engine: settlements, one in ten earned", engine?.mixed.perSecond, 20_000, "settlements/s"),
    most("one hot member: time of the others' outcomes", slowdown("hot-member"), 1.1),
    most("one program for all: time of the outcomes", slowdown("hot-program"), 1.1),
    least("platform: records, one in ten routable", platform?.records.perSecond, 30_000, "records/s"),
    least("platform: payments that find their record", platform?.payments.perSecond, 15_000, "payments/s"),
    least("ingest with everything beside it, one in ten matching, against alone", beside, 0.7),
    most("CPU of a match, in all", pipeline && totalOf(pipeline.matchCosts), 350, "µs"),
  ];
}

function paceTable({ engine, platform }: RewardsResults): string {
  const rows: string[][] = [];
  const add = (what: string, { entries, perSecond, seconds, usage }: Phase, note = ""): void => {
    const numbers = [thousands(perSecond), thousands(entries), seconds.toFixed(1), ...costs(usage, entries)];
    rows.push([what, ...numbers, note]);
  };
  if (engine !== undefined) {
    add("outcomes", engine.outcomes);
    add("settlements, one in ten earned", engine.mixed);
    add("settlements, all earned", engine.earned);
  }
  if (platform !== undefined) {
    const { records, payments, halves } = platform;
    const { count, perSecond, usage, answerMs, publishedSeconds } = payments;
    add("records, one in ten routable", records, `${thousands(halves)} halves stored`);
    const note = `${answerMs.toFixed(0)} ms a request, outcomes out ${publishedSeconds.toFixed(1)} s later`;
    add("payments, all matched", { entries: count, perSecond, seconds: count / perSecond, usage }, note);
  }
  return tableOf(["", "a second", "in all", "seconds", "CPU µs each", "memory MiB", ""], rows);
}

/** Of the one process that was watched. */
function costs({ processes }: Usage, entries: number): [string, string] {
  const [{ cpuSeconds, rssBytes } = { cpuSeconds: 0, rssBytes: 0 }] = processes;
  return [((cpuSeconds * 1e6) / entries).toFixed(1), mib(rssBytes)];
}

const SHAPE_NAMES: Readonly<Record<Shape, string>> = {
  even: "even",
  "hot-member": "half of them one member's",
  "hot-program": "one program for all",
};

function hotTable({ hot }: RewardsResults): string {
  if (hot === undefined) return "";
  const rows = SHAPES.map((shape) => [
    SHAPE_NAMES[shape],
    hot.seconds[shape].toFixed(2),
    hot.repetitions[shape].map((seconds) => seconds.toFixed(2)).join(", "),
  ]);
  return tableOf(["the same outcomes", "seconds", "repetitions"], rows);
}

function pipelineTable({ pipeline }: RewardsResults): string {
  if (pipeline === undefined) return "";
  const { runs, without, beside, behindSeconds, matchedShare } = pipeline;
  const row = (name: string, run: (typeof runs)["without"], repetitions: readonly number[]) => [
    name,
    thousands(run.measured.eventsPerSecond),
    run.usage.processes.map((one) => `${one.name} ${one.cpuSeconds.toFixed(1)}`).join(", "),
    memory(run.usage),
    repetitions.map(thousands).join(", "),
  ];
  const table = tableOf(
    ["ingest, requests of 500", "events/s", "CPU s", "memory MiB", "repetitions"],
    [row("alone", runs.without, without), row("with everything beside it", runs.beside, beside)],
  );
  const share = `${(100 * matchedShare).toFixed(1)} % of the transactions matched`;
  const after = `everything was done ${behindSeconds.toFixed(1)} s after the load`;
  return `${table}\n${share}; ${after}\n\n${matchTable(pipeline.matchCosts)}`;
}

function matchTable(costs: readonly MatchCost[]): string {
  const rows = costs.map(({ part, process, database }) => [part, process.toFixed(0), database.toFixed(0)]);
  const total = ["in all", totalOf(costs).toFixed(0), ""];
  return tableOf(["CPU µs a match", "process", "its database"], [...rows, total]);
}

function record({ engine, hot, platform, pipeline }: RewardsResults): object {
  return {
    engine: engine && {
      outcomes: describePhase(engine.outcomes),
      settlements: describePhase(engine.mixed),
      settlements_all_earned: describePhase(engine.earned),
    },
    hot: hot && { seconds: hot.seconds, repetitions: hot.repetitions },
    platform: platform && {
      records: describePhase(platform.records),
      payments: {
        count: platform.payments.count,
        per_second: platform.payments.perSecond,
        answer_ms: platform.payments.answerMs,
        published_seconds: platform.payments.publishedSeconds,
        processes: describeProcesses(platform.payments.usage),
      },
    },
    pipeline: pipeline && {
      events_per_second: { alone: pipeline.without, beside: pipeline.beside },
      processes: {
        alone: describeProcesses(pipeline.runs.without.usage),
        beside: describeProcesses(pipeline.runs.beside.usage),
      },
      behind_seconds: pipeline.behindSeconds,
      matched_share: pipeline.matchedShare,
      match_cpu_us: pipeline.matchCosts,
    },
  };
}

function describePhase({ entries, perSecond, seconds, usage }: Phase) {
  return { entries, per_second: perSecond, seconds, processes: describeProcesses(usage) };
}
