import type { OutcomeSubject } from "./rows/reward-batch.ts";

/**
 * Parts of a batch that lock no collection and no clip in common, so that they can be applied side by side; each keeps its
 * order. Two whole batches could not: members come again so soon that nearly every batch waits for the one before it.
 * A part's transactions may be in the other one too, where both only look at them.
 */
export function splitByTarget<T extends OutcomeSubject>(outcomes: readonly T[], parts: number): T[][] {
  const split = Array.from({ length: parts }, (): T[] => []);
  for (const outcome of outcomes) split[partOf(outcome.target.id, parts)]?.push(outcome);
  return split;
}

/** @param id UUID, whose end is chance */
function partOf(id: string, parts: number): number {
  return Number.parseInt(id.slice(-4), 16) % parts;
}
