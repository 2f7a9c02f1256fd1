import type { Counters } from "../kit/meter.ts";

/** The work done while the counters of an installation were read. */
export interface MeteredWork {
  readonly events: number;
  /** Purchases that met their payment. */
  readonly matches: number;
  readonly counters: Counters;
}

/** Microseconds of CPU that a match costs one part of an installation. */
export interface MatchCost {
  readonly part: string;
  readonly process: number;
  /** The backends of PostgreSQL that work for it. */
  readonly database: number;
}

/** In the order in which a purchase passes them; `database` has only backends that serve no client. */
const PARTS = ["edge", "ingest", "platform", "rewards", "webhooks", "nats"] as const;
const BACKGROUND = "database background";

/**
 * The cost of a match for each part, in addition to the cost of its event without one: the part's whole
 * consumption while some purchases matched, minus that of as many events alone. So it includes records and
 * outcomes without a result, and the consumption of idle time.
 */
export function matchCosts(alone: MeteredWork, beside: MeteredWork): MatchCost[] {
  const perMatch = (name: string): number => {
    const usual = ((alone.counters[name] ?? 0) / alone.events) * beside.events;
    return (((beside.counters[name] ?? 0) - usual) / beside.matches) * 1e6;
  };
  return [
    ...PARTS.map((part) => ({
      part,
      process: perMatch(`cpu.${part}`),
      database: perMatch(`cpu.${part} database`),
    })),
    { part: BACKGROUND, process: 0, database: perMatch(`cpu.${BACKGROUND}`) },
  ];
}

export function totalOf(costs: readonly MatchCost[]): number {
  return costs.reduce((sum, { process, database }) => sum + process + database, 0);
}

/** The work of several runs together. */
export function addWork(runs: readonly MeteredWork[]): MeteredWork {
  const counters: Record<string, number> = {};
  for (const run of runs) {
    for (const [name, value] of Object.entries(run.counters)) counters[name] = (counters[name] ?? 0) + value;
  }
  return {
    events: runs.reduce((sum, { events }) => sum + events, 0),
    matches: runs.reduce((sum, { matches }) => sum + matches, 0),
    counters,
  };
}
