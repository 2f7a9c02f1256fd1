import { inTurn } from "../kit/contenders.ts";
import { findWrk } from "../kit/wrk.ts";
import { type IngestArena, type Ready, runWithWrk } from "./contenders.ts";
import { WRK_SIZE } from "./options.ts";
import { type Results, summarise } from "./results.ts";

/**
 * Single requests once more, in turn as before, with a load generator that leaves more of the machine to the contenders.
 * It comes last, on the same processes: its ids are higher than all that were sent before.
 */
export async function measureWithWrk(
  arena: IngestArena,
  results: Results,
  services: readonly Ready[],
): Promise<void> {
  if (findWrk() === undefined) {
    results.isWrkMissing = true;
    return;
  }
  const runs = await inTurn(
    services,
    arena.options.repetitions,
    (progress) => arena.say(`requests of ${WRK_SIZE} with wrk: ${progress}`),
    (ready, repetition) => runWithWrk(arena, ready, WRK_SIZE, repetition),
  );
  results.throughput.push(...services.map((ready, i) => summarise(ready, WRK_SIZE, "wrk", runs[i] ?? [])));
}
