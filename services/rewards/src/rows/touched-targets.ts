import type { LoadedTarget } from "./reward-batch.ts";

/** For each of these transactions the targets that it has a live stamp or a pending cashback in, by id and in its order. */
export function touchedTargets(
  transactionIds: Iterable<string>,
  targets: ReadonlyMap<string, LoadedTarget>,
): Map<string, readonly string[]> {
  const touched = new Map<string, string[]>(Array.from(transactionIds, (id) => [id, []]));
  for (const id of [...targets.keys()].sort()) {
    for (const transactionId of transactionsIn((targets.get(id) as LoadedTarget).state)) {
      touched.get(transactionId)?.push(id);
    }
  }
  return touched;
}

/** A pending cashback of a collection waits for a transaction that has a stamp in it. */
function transactionsIn(state: LoadedTarget["state"]): string[] {
  if (state.kind === "collection") return state.stamps.map(({ transaction }) => transaction.id);
  return state.cashback?.state === "pending" ? [state.cashback.transactionId] : [];
}
