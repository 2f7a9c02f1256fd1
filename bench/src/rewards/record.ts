import type { Arena } from "../arena.ts";
import { describeProcesses, describeSurroundings, describeTargets, round, sealLine } from "../record.ts";
import type { TargetResult } from "../targets.ts";
import type { Phase } from "./measure-engine.ts";
import type { RewardsOptions } from "./options.ts";
import { faultsOf, type RewardsResults } from "./results.ts";

export function describeRewards(
  options: RewardsOptions,
  { servers }: Arena,
  results: RewardsResults,
  targets: readonly TargetResult[],
  startedAt: Date,
) {
  const { engine, hot, platform, pipeline } = results;
  const { mode, seed, outcomes, hotOutcomes, halves, retailers, records, requests, perRequest } = options;
  const { members, seconds, repetitions } = options;
  return sealLine({
    ...describeSurroundings(mode, servers, startedAt),
    workload: {
      ...{ seed, outcomes, hot_outcomes: hotOutcomes, halves, retailers, records, requests },
      ...{ per_request: perRequest, members, seconds, repetitions },
    },
    engine: engine && {
      outcomes: describePhase(engine.outcomes),
      settlements: describePhase(engine.mixed),
      settlements_all_earned: describePhase(engine.earned),
    },
    hot: hot && {
      seconds: mapValues(hot.seconds, round),
      repetitions: mapValues(hot.repetitions, (seconds) => seconds.map(round)),
    },
    platform: platform && {
      records: describePhase(platform.records),
      payments: {
        count: platform.payments.count,
        per_second: round(platform.payments.perSecond),
        answer_ms: round(platform.payments.answerMs),
        published_seconds: round(platform.payments.publishedSeconds),
        processes: describeProcesses(platform.payments.usage),
      },
    },
    pipeline: pipeline && {
      events_per_second: { alone: pipeline.without.map(round), beside: pipeline.beside.map(round) },
      processes: {
        alone: describeProcesses(pipeline.runs.without.usage),
        beside: describeProcesses(pipeline.runs.beside.usage),
      },
      behind_seconds: round(pipeline.behindSeconds),
      matched_share: round(pipeline.matchedShare),
    },
    targets: describeTargets(targets),
    verified: { faults: faultsOf(results) },
  });
}

function describePhase({ entries, perSecond, seconds, usage }: Phase) {
  return {
    entries,
    per_second: round(perSecond),
    seconds: round(seconds),
    processes: describeProcesses(usage),
  };
}

function mapValues<K extends string, V, W>(
  values: Readonly<Record<K, V>>,
  change: (value: V) => W,
): Record<K, W> {
  const entries = Object.entries<V>(values).map(([key, value]) => [key, change(value)]);
  return Object.fromEntries(entries) as Record<K, W>;
}
