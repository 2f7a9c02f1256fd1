import { inTurn } from "../kit/contenders.ts";
import { middle } from "../kit/timeline.ts";
import type { RunResult } from "./arena.ts";
import { type IngestArena, type Ready, runBesideClient } from "./contenders.ts";
import { CLIENT_SIZE } from "./options.ts";
import { type Results, summarise } from "./results.ts";

/**
 * What an integrator gets who sends by the streaming client: in turn with autocannon, which sends bytes that were ready
 * before, to the same processes and database. The client's process makes each event, checks, writes and reads it.
 */
export async function measureWithClient(
  arena: IngestArena,
  results: Results,
  stampede: Ready,
): Promise<void> {
  const [beside = [], runs = []] = await inTurn(
    ["autocannon", "client"] as const,
    arena.options.repetitions,
    (progress) => arena.say(`requests of ${CLIENT_SIZE} by the streaming client: ${progress}`),
    (generator, repetition) => runBesideClient(arena, stampede, generator, repetition),
  );
  results.throughput.push(summarise(stampede, CLIENT_SIZE, "client", runs));
  const rate = (all: readonly RunResult[]) => middle(all.map(({ measured }) => measured.eventsPerSecond));
  results.client = {
    eventsPerSecond: rate(runs),
    besideEventsPerSecond: rate(beside),
    cpuMicrosPerEvent: middle(runs.map(cpuMicrosPerEvent)),
    rssBytes: Math.max(...runs.map(({ generatorRssBytes = 0 }) => generatorRssBytes)),
  };
}

/** Over all that it sent, warm-up included. */
function cpuMicrosPerEvent({ generatorCpuSeconds = 0, measured }: RunResult): number {
  return (generatorCpuSeconds * 1e6) / Math.max(1, measured.processed.accepted);
}
